// Checks the description of the API with the recommended rules of Redocly and Spectral, warnings included, and that answers have schemas.
import { createConfig, lint } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { readFileSync } from 'node:fs';

const FILE = 'docs/reference/openapi.json';
const { Spectral } = spectral;
const { oas } = rulesets;
const document = JSON.parse(readFileSync(FILE, 'utf8'));

async function redocly() {
  const found = await lint({ ref: FILE, config: await createConfig({ extends: ['recommended'] }) });
  return found.map(({ ruleId, message, location: [at] }) => `redocly ${ruleId}: ${message} (${at?.pointer})`);
}

async function recommended() {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[oas, 'recommended']] });
  const found = await linter.run(document);
  return found.map(({ code, message, path }) => `spectral ${code}: ${message} (#/${path.join('/')})`);
}

/** A typed client gets `unknown` from a success answer without a schema; 202 and 204 have no body. */
function untyped() {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => [`${method} ${path}`, responses]),
  );
  return operations.flatMap(([name, responses]) =>
    Object.entries(responses)
      .filter(([status]) => /^20[013-9]$/.test(status) && status !== '204')
      .flatMap(([status, { content = { none: {} } }]) => Object.values(content).map(({ schema }) => [status, schema]))
      .filter(([, schema]) => schema === undefined || Object.keys(schema).length === 0)
      .map(([status]) => `no schema for ${status} of ${name}`),
  );
}

const problems = [...(await redocly()), ...(await recommended()), ...untyped()];
for (const problem of problems) console.error(problem);
console.log(`${FILE}: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
