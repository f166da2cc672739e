package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// listed is what go list says of one package.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

// house says which of our own folders a folder may import. What a folder is
// named after may always import its own sub-folders.
var house = map[string][]string{
	"keyspace": {},
	"model":    {},
	"watcher":  {"keyspace", "model"},
	"ui":       {"model"},
	"demo":     {"keyspace", "model"},
	"main":     {"keyspace", "model", "watcher", "ui", "demo"},
}

// fenced are the modules that only some folders may import.
var fenced = map[string][]string{
	"charm.land/bubbletea":     {"ui"},
	"charm.land/bubbles":       {"ui"},
	"charm.land/lipgloss":      {"ui"},
	"github.com/redis/":        {"watcher", "demo"},
	"charm.land/fang":          {"main"},
	"github.com/spf13/":        {"main"},
	"github.com/alicebob/":     {"demo"},
	"modernc.org/":             {"demo"},
	"github.com/creack/pty":    {}, // tests only
	"github.com/rogpeppe/":     {}, // tests only
	"github.com/google/go-cmp": {}, // tests only
	"pgregory.net/rapid":       {}, // tests only
}

func goList(t *testing.T, patterns ...string) []listed {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Imports,Deps"}, patterns...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// folder is the first folder of one of our packages; "main" for the root, ""
// for a package of somebody else.
func folder(path string) string {
	if path == "leasetop" {
		return "main"
	}
	rest, ours := strings.CutPrefix(path, "leasetop/")
	if !ours {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

func TestImportsRunOneWay(t *testing.T) {
	packages := goList(t, "./...")
	if len(packages) < 5 {
		t.Fatalf("go list found %d packages only", len(packages))
	}
	for _, p := range packages {
		from := folder(p.ImportPath)
		allowed, known := house[from]
		if !known {
			t.Errorf("%s stands in a folder that the house does not know", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if to := folder(imported); to != "" && to != from && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
			for module, folders := range fenced {
				if strings.HasPrefix(imported, module) && !slices.Contains(folders, from) {
					t.Errorf("%s imports %s", p.ImportPath, imported)
				}
			}
		}
	}
}

func TestPurePackagesNeedTheStandardLibraryOnly(t *testing.T) {
	for _, p := range goList(t, "./keyspace/...", "./model/...") {
		for _, dep := range p.Deps {
			if strings.Contains(strings.SplitN(dep, "/", 2)[0], ".") {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
		for _, outside := range []string{"net", "os", "os/exec"} {
			if slices.Contains(p.Imports, outside) {
				t.Errorf("%s is pure and imports %s", p.ImportPath, outside)
			}
		}
	}
}

func TestLinesNeedNoScreen(t *testing.T) {
	for _, p := range goList(t, "./ui/lines/...", "./ui/printable/...") {
		for _, dep := range p.Deps {
			if strings.HasPrefix(dep, "charm.land/") || folder(dep) == "watcher" || dep == "leasetop/ui" {
				t.Errorf("%s depends on %s", p.ImportPath, dep)
			}
		}
	}
}
