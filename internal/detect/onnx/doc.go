// Package onnx runs text classifiers exported to ONNX: a tokenizer.json, a graph that takes token ids and gives logits,
// and a head that turns the logits into a score. Its native parts (ONNX Runtime and the tokenizers library) need cgo;
// without cgo, or with the build tag nonative, every call answers with one error that says so.
package onnx
