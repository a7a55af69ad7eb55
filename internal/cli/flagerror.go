package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pidsbench/internal/fault"
)

// flagError says what is wrong with a flag: which one was probably meant, or what its value should be.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var out *fault.Error
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		out = fault.New(fault.Usage, "%s has no flag -%s: but for -h, flags have two dashes and a name", cmd.CommandPath(),
			fault.Line(unknown.GetSpecifiedShortnames()))
	case errors.As(err, &unknown):
		out = fault.New(fault.Usage, "%s has no flag --%s%s", cmd.CommandPath(), fault.Line(unknown.GetSpecifiedName()),
			nearFlag(cmd, unknown.GetSpecifiedName()))
	case errors.As(err, &invalid):
		out = fault.New(fault.Usage, "--%s is %s, expected %s", invalid.GetFlag().Name, fault.Quote(invalid.GetValue()),
			expectedOf(invalid.GetFlag().Value.Type()))
	default:
		out = fault.New(fault.Usage, "%s", fault.Line(err.Error()))
	}
	return out.WithCure("see `%s --help`", cmd.CommandPath())
}

// columnFlags lets the flags of columns have the short names too that they once had in some commands: --text for
// --text-column.
func columnFlags(short ...string) func(*pflag.FlagSet, string) pflag.NormalizedName {
	return func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if slices.Contains(short, name) {
			name += "-column"
		}
		return pflag.NormalizedName(name)
	}
}

// nearFlag returns a clause with the flag that was probably meant, when one is near.
func nearFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := fault.Near(name, names); near != "" {
		return " (did you mean --" + near + "?)"
	}
	return ""
}

// expectedOf says what a flag of a type holds.
func expectedOf(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false, or nothing behind the name"
	case kind == "duration":
		return "a time such as 30s or 5m"
	}
	return "another value"
}
