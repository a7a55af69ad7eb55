package nanoguard

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pidsbench/internal/fault"
)

// checkpoint is what model.pt says about itself: its sizes and where each tensor lies. No weight is read.
type checkpoint struct {
	config  map[string]int64
	tensors map[string]tensor
}

// tensor is a run of bytes of model.pt, row-major and little-endian.
type tensor struct {
	elem   elementType
	shape  []int64
	offset int64 // from the start of model.pt
}

// length returns the tensor's bytes.
func (t tensor) length() int64 { return product(t.shape) * t.elem.size() }

// maxElements bounds a dimension and a tensor, far above the model's largest (4 M).
const maxElements = 1 << 31

func product(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// readCheckpoint reads the table of a file in PyTorch's zip format: a pickle of names, shapes and storages, and each
// storage as an uncompressed member.
func readCheckpoint(r io.ReaderAt, size int64) (*checkpoint, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("no readable zip archive: %w", err)
	}
	a := archive{members: map[string]*zip.File{}}
	for _, f := range z.File {
		top, name, _ := strings.Cut(f.Name, "/") // one folder holds all
		if len(a.members) == 0 {
			a.top = top
		}
		if top != a.top || a.members[name] != nil {
			return nil, fmt.Errorf("the member %s stands twice or outside the folder %s", fault.Quote(f.Name),
				fault.Quote(a.top))
		}
		a.members[name] = f
	}
	if order, err := a.read("byteorder"); err != nil {
		return nil, err
	} else if string(order) != "little" {
		return nil, fmt.Errorf("the byte order is %s, expected little", fault.Quote(string(order)))
	}
	table, err := a.read("data.pkl")
	if err != nil {
		return nil, err
	}
	root, err := readPickle(table)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{config: map[string]int64{}, tensors: map[string]tensor{}}
	config, err := field[dict](root, "config")
	if err != nil {
		return nil, err
	}
	for key, v := range config {
		name, okName := key.(string)
		if n, ok := v.(int64); ok && okName {
			c.config[name] = n
		}
	}
	state, err := field[dict](root, "model_state_dict")
	if err != nil {
		return nil, err
	}
	var names []string
	for key := range state {
		name, ok := key.(string)
		if !ok {
			return nil, errors.New("the name of a tensor is bytes, expected text")
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if c.tensors[name], err = a.tensor(state[name]); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", fault.Name(name), err)
		}
	}
	return c, nil
}

// field returns a field of a dict, which has to be a T.
func field[T any](v any, name string) (T, error) {
	var zero T
	d, ok := v.(dict)
	if !ok {
		return zero, fmt.Errorf("found %s, expected a dict with the field %s", kind(v), name)
	}
	inner, ok := d[name].(T)
	if !ok {
		return zero, fmt.Errorf("field %s is %s, expected %s", name, kind(d[name]), kind(zero))
	}
	return inner, nil
}

// archive is an open zip file.
type archive struct {
	top     string
	members map[string]*zip.File // by name, without the folder that holds all
}

func (a *archive) member(name string) (*zip.File, error) {
	f := a.members[name]
	switch {
	case f == nil:
		return nil, fmt.Errorf("the member %s is missing", fault.Quote(name))
	case f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 || f.Flags&1 != 0:
		return nil, fmt.Errorf("the member %s is compressed or encrypted, expected raw bytes", fault.Quote(name))
	}
	return f, nil
}

// read returns the bytes of a small member.
func (a *archive) read(name string) ([]byte, error) {
	f, err := a.member(name)
	if err != nil {
		return nil, err
	}
	if f.UncompressedSize64 > maxPickleBytes {
		return nil, fmt.Errorf("the member %s holds %d bytes, expected at most %d", fault.Quote(name), f.UncompressedSize64,
			maxPickleBytes)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("the member %s: %w", fault.Quote(name), err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("the member %s: %w", fault.Quote(name), err)
	}
	return data, nil
}

// tensor reads the record of a call that would build a tensor of a storage.
func (a *archive) tensor(v any) (tensor, error) {
	c, ok := v.(*call)
	if !ok || c.function != rebuildTensor || len(c.args) != 6 {
		return tensor{}, fmt.Errorf("found %s, expected a call of %s with 6 arguments", kind(v), rebuildTensor)
	}
	storage, ok0 := c.args[0].(persistent)
	start, ok1 := c.args[1].(int64)
	sizes, ok2 := c.args[2].(tuple)
	steps, ok3 := c.args[3].(tuple)
	// The last two, whether it is trained and its hooks, change no value.
	if !ok0 || !ok1 || !ok2 || !ok3 {
		return tensor{}, errors.New("expected a storage, an offset, a shape and strides")
	}
	t := tensor{}
	var err error
	if t.shape, err = numbers(sizes); err != nil {
		return tensor{}, fmt.Errorf("shape: %w", err)
	}
	strides, err := numbers(steps)
	if err != nil {
		return tensor{}, fmt.Errorf("strides: %w", err)
	}
	if !slices.Equal(strides, rowMajor(t.shape)) {
		return tensor{}, fmt.Errorf("shape %v has the strides %v, expected %v", t.shape, strides, rowMajor(t.shape))
	}
	if err := a.place(&t, storage, start); err != nil {
		return tensor{}, err
	}
	return t, nil
}

// numbers returns the items of a tuple of positive whole numbers whose product is at most maxElements.
func numbers(items tuple) ([]int64, error) {
	list, total := make([]int64, len(items)), int64(1)
	for i, v := range items {
		n, ok := v.(int64)
		if !ok || n < 1 || n > maxElements/total {
			return nil, fmt.Errorf("item %d is not a whole number from 1 on, or too large", i)
		}
		list[i] = n
		total *= n
	}
	return list, nil
}

func rowMajor(shape []int64) []int64 {
	strides, step := make([]int64, len(shape)), int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	return strides
}

// place finds the tensor's first byte in the file.
func (a *archive) place(t *tensor, storage persistent, start int64) error {
	// ("storage", class, key, device, elements)
	if len(storage) != 5 || storage[0] != "storage" {
		return errors.New("its storage is described in another way than by class, key, device and size")
	}
	key, okKey := storage[2].(string)
	elements, okSize := storage[4].(int64)
	switch storage[1] {
	case floatStorage:
		t.elem = elemFloat32
	case bfloat16Storage:
		t.elem = elemBFloat16
	default:
		return errors.New("its numbers are neither float32 nor bfloat16")
	}
	if !okKey || !okSize {
		return errors.New("its storage has no key or no size")
	}
	f, err := a.member("data/" + key)
	if err != nil {
		return err
	}
	if elements < 0 || elements > maxElements || f.UncompressedSize64 != uint64(elements*t.elem.size()) {
		return fmt.Errorf("its storage %s holds %d bytes, expected %d numbers", fault.Quote(key), f.UncompressedSize64,
			elements)
	}
	if start < 0 || start > elements || product(t.shape) > elements-start {
		return fmt.Errorf("shape %v from number %d on does not fit its storage of %d numbers", t.shape, start, elements)
	}
	data, err := f.DataOffset()
	if err != nil {
		return fmt.Errorf("its storage %s: %w", fault.Quote(key), err)
	}
	t.offset = data + start*t.elem.size()
	return nil
}
