package fault

import "testing"

func TestNearFindsWhatWasMeantAndNoMore(t *testing.T) {
	names := []string{"id", "url", "head", "model", "native", "s_labs", "api_key_env", "max_length", "open"}
	for name, want := range map[string]string{
		"heat": "head", "modle": "model", "Native": "native", "s_lab": "s_labs", "api_key": "api_key_env", "maxlength": "max_length",
		"max-length": "max_length", "ulr": "url", "opne": "open", "api_key_env_file": "api_key_env",
		"": "", "x": "", "heaven": "", "ix": "", "uxx": "", "colour": "", "key": "", "api": "", "openness": "",
	} {
		if got := Near(name, names); got != want {
			t.Errorf("Near(%q) = %q, want %q", name, got, want)
		}
	}
}
