package builder

import (
	"slices"

	"pidsbench/internal/dataset"
)

// layOut makes the files out of the sets that written names. A file whose records the configuration does not ask for is
// left out.
func layOut(in reads, seed int64) (files []File) {
	held := func(set string) []Record { return in.set(stageHoldOut, set) }
	obfuscated := func(set string) []Record { return in.set(stageObfuscate, set) }
	sliced := func(set string) []Record { return in.set(stageSlices, set) }
	attacks, twins := disguised(obfuscated("test"), dataset.Injection), obfuscated("twins")
	for _, f := range []File{
		mainFile(trainFile, obfuscated("train"), seed),
		mainFile(valFile, obfuscated("val"), seed),
		mainFile(testFile, obfuscated("test"), seed),
		evalFile(hardBenignFile, slices.Concat(held("hard_benign"), held("curated")), seed),
		evalFile(ordinaryFile, held("control"), seed),
		sliceFile(balancedFile, sliced("balanced"), seed),
		sliceFile(obfuscatedAttacksFile, attacks, seed),
		sliceFile(obfuscatedBenignFile, twins, seed),
		sliceFile(parentsFile, parents(attacks, twins), seed),
		domainRows(domainFile, held("domain"), seed),
		structuralRows(structuralFile, held("structural"), seed),
		seedRows(structuralSeedsFile, held("seeds"), seed),
		heldOutRows(heldOutFile, sliced("held_out"), seed),
		sliceFile(heldOutSeedsFile, sliced("held_out_seeds"), seed),
		negativeFile(negativeTrainFile, "train", "hardneg_curated", held("negative_train"), seed),
		negativeFile(negativeValFile, "val", "hardneg_curated", held("negative_val"), seed),
		negativeFile(thirdPartyFile, "train", "hardneg_real", held("thirdparty"), seed),
		negativeFile(ordinaryArmFile, "train", "ordinary_real", held("ordinary"), seed),
	} {
		if len(f.Records) > 0 {
			files = append(files, f)
		}
	}
	return files
}

func (e *edition) report() *Report {
	r := &Report{Removed: e.removed}
	for _, f := range e.files {
		r.Files = append(r.Files, countFile(f))
	}
	return r
}
