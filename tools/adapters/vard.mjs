// The verdicts of vard (npm @andersmyrmel/vard), preset moderate: node vard.mjs FOLDER, where FOLDER holds the package.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const { version } = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8"));
const { vard } = await import(pathToFileURL(resolve(folder, "dist/index.js")).href);
const guard = vard.moderate();

function answer({ id, text }) {
  try {
    return { id, label: guard.safeParse(text).safe ? 0 : 1 };
  } catch (error) {
    return { id, error: String(error) };
  }
}

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
say({ ready: true, name: "vard", version });
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) say(answer(JSON.parse(line)));
