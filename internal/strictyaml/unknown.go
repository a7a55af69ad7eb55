package strictyaml

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// nameOf returns the name of a struct's field in a file, "" for one that has none there.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// fieldsOf returns the fields of a struct by their names in a file.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		if name := nameOf(t.Field(i)); name != "" {
			fields[name] = t.Field(i).Type
		}
	}
	return fields
}

// sectionsOf returns those fields of a struct that hold fields themselves.
func sectionsOf(t reflect.Type) map[string]reflect.Type {
	sections := map[string]reflect.Type{}
	for name, of := range fieldsOf(t) {
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			sections[name] = of
		}
	}
	return sections
}

// unknown is the error for a field that t has not. It names the section that the field belongs to where there is one,
// else a field whose name is close.
func (c *checker) unknown(line int, key string, t reflect.Type) error {
	if where := c.place(key, t); where != "" {
		return c.Fail(line, "field %s stands in the wrong place, expected %s", fault.Quote(key), where).WithCure("move it")
	}
	near := nearField(key, t)
	for _, name := range slices.Sorted(maps.Keys(sectionsOf(t))) {
		if inside := nearField(key, sectionsOf(t)[name]); near == "" && inside != "" {
			near = inside + " under " + name
		}
	}
	if near != "" {
		near = " (did you mean " + near + "?)"
	}
	return c.Fail(line, "unknown field %s%s", fault.Quote(key), near).WithCure("correct its name or delete it")
}

func nearField(key string, t reflect.Type) string {
	return fault.Near(key, slices.Sorted(maps.Keys(fieldsOf(t))))
}

// place says where a field belongs that t has not: under one of its sections, or outside of the section that is t.
func (c *checker) place(key string, t reflect.Type) string {
	if under := sectionsWith(key, t); under != "" {
		return "under " + under
	}
	if len(c.around) == 0 {
		return ""
	}
	section := c.around[len(c.around)-1]
	_, beside := fieldsOf(section.of)[key]
	under := sectionsWith(key, section.of)
	switch where, told := c.Elsewhere[section.name+"."+key]; {
	case told:
		return where
	case sectionsOf(section.of)[section.name] == nil: // an item of a list
		return ""
	case beside:
		return "beside " + section.name + ", not under it"
	case under != "":
		return "under " + under + ", not under " + section.name
	}
	return ""
}

// sectionsWith names the sections of t that have a field.
func sectionsWith(key string, t reflect.Type) string {
	sections := sectionsOf(t)
	maps.DeleteFunc(sections, func(_ string, of reflect.Type) bool {
		_, has := fieldsOf(of)[key]
		return !has
	})
	return strings.Join(slices.Sorted(maps.Keys(sections)), " or ")
}
