// Tells how many tokens (o200k) the text on stdin has. Its package is found in CORDON_NPM.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(process.env.CORDON_NPM + "/");
const { encode } = require("gpt-tokenizer/encoding/o200k_base");
console.log(encode(readFileSync(0, "utf8")).length);
