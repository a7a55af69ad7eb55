package builder

import (
	"slices"

	"pidsbench/internal/dataset"
)

// layOut makes the files. A file whose records the configuration does not ask for is left out.
func (e *edition) layOut(held, obfuscated, sliced outcome, seed int64) {
	attacks := disguised(obfuscated.sets["test"], dataset.Injection)
	twins := obfuscated.sets["twins"]
	for _, f := range []File{
		mainFile(trainFile, obfuscated.sets["train"], seed),
		mainFile(valFile, obfuscated.sets["val"], seed),
		mainFile(testFile, obfuscated.sets["test"], seed),
		evalFile(hardBenignFile, slices.Concat(held.sets["hard_benign"], held.sets["curated"]), seed),
		evalFile(ordinaryFile, held.sets["control"], seed),
		sliceFile(balancedFile, sliced.sets["balanced"], seed),
		sliceFile(obfuscatedAttacksFile, attacks, seed),
		sliceFile(obfuscatedBenignFile, twins, seed),
		sliceFile(parentsFile, parents(attacks, twins), seed),
		domainRows(domainFile, held.sets["domain"], seed),
		structuralRows(structuralFile, held.sets["structural"], seed),
		seedRows(structuralSeedsFile, held.sets["seeds"], seed),
		heldOutRows(heldOutFile, sliced.sets["held_out"], seed),
		sliceFile(heldOutSeedsFile, sliced.sets["held_out_seeds"], seed),
		negativeFile(negativeTrainFile, "train", "hardneg_curated", held.sets["negative_train"], seed),
		negativeFile(negativeValFile, "val", "hardneg_curated", held.sets["negative_val"], seed),
		negativeFile(thirdPartyFile, "train", "hardneg_real", held.sets["thirdparty"], seed),
		negativeFile(ordinaryArmFile, "train", "ordinary_real", held.sets["ordinary"], seed),
	} {
		if len(f.Records) > 0 {
			e.files = append(e.files, f)
		}
	}
}

func (e *edition) report() *Report {
	r := &Report{Removed: e.removed, Families: e.families, Rounds: e.rounds}
	for _, f := range e.files {
		r.Files = append(r.Files, countFile(f))
	}
	return r
}
