// Checks the description of the API with the recommended rules of Redocly and Spectral, warnings included, and with rules
// of our own: answers have schemas and texts, tags have a sentence, ids and counts are integers.
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

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation]),
);

/** A typed client gets `unknown` from a success answer without a schema; 202 and 204 have no body. */
function untyped() {
  return operations.flatMap(([name, { responses }]) =>
    Object.entries(responses)
      .filter(([status]) => /^20[013-9]$/.test(status) && status !== '204')
      .flatMap(([status, { content = { none: {} } }]) => Object.values(content).map(({ schema }) => [status, schema]))
      .filter(([, schema]) => schema === undefined || Object.keys(schema).length === 0)
      .map(([status]) => `no schema for ${status} of ${name}`),
  );
}

/** Every answer says what it means, and who needs a credential may be refused for the lack of it or of a right. */
function untold() {
  return operations.flatMap(([name, { responses, security = [], tags = [] }]) => {
    const asks = security.some((each) => Object.keys(each).length > 0);
    return [
      ...Object.entries(responses)
        .filter(([, answer]) => answer.$ref === undefined && answer.description.trim() === '')
        .map(([status]) => `no text for ${status} of ${name}`),
      ...(asks && !security.some((each) => Object.keys(each).length === 0) ? ['401', '403', '429'] : [])
        .filter((status) => responses[status] === undefined)
        .map((status) => `${status} is not among the answers of ${name}`),
      ...(tags.length === 1 ? [] : [`${tags.length} tags for ${name}`]),
    ];
  });
}

/** One name for one area, with a sentence. */
function badTags() {
  const told = document.tags.filter(({ description }) => (description ?? '').trim() !== '').map(({ name }) => name);
  const used = [...new Set(operations.flatMap(([, { tags = [] }]) => tags))];
  const same = (name) => used.filter((each) => each.replaceAll(' ', '').toLowerCase() === name);
  const twice = new Set(
    used.map((name) => name.replaceAll(' ', '').toLowerCase()).filter((name) => same(name).length > 1),
  );
  return [
    ...used.filter((name) => !told.includes(name)).map((name) => `tag ${name} has no description`),
    ...[...twice].map((name) => `one area has the tags ${same(name).join(', ')}`),
  ];
}

const WHOLE = /(^|_)(ids?|counts?|limit|versions?|total|chars|tokens|runs|bytes|size|n|micros|days|status|index)$/;

/** Ids and counts are integers; another number says that it may have decimals. */
function loose() {
  const isNumber = ({ type }) => [type].flat().includes('number');
  const isWhole = (name) => WHOLE.test(name) && !name.startsWith('avg_');
  const found = [];
  const look = (schema, name, path) => {
    if (typeof schema !== 'object' || schema === null) return;
    if (isNumber(schema) && (isWhole(name) || (/_ms$/.test(name) && schema.format !== 'double')))
      found.push(`a number instead of an integer at ${path}`);
    for (const [key, each] of Object.entries(schema.properties ?? {})) look(each, key, `${path}/${key}`);
    for (const key of ['items', 'additionalProperties']) look(schema[key], name, path);
    for (const key of ['oneOf', 'anyOf', 'allOf']) for (const each of schema[key] ?? []) look(each, name, path);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, '', name);
  for (const [name, { parameters = [], requestBody, responses }] of operations) {
    for (const { name: parameter, schema } of parameters) look(schema, parameter, `${name} ${parameter}`);
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)])
      for (const { schema } of Object.values(content)) look(schema, '', name);
  }
  return found;
}

const problems = [...(await redocly()), ...(await recommended()), ...untyped(), ...untold(), ...badTags(), ...loose()];
for (const problem of problems) console.error(problem);
console.log(`${FILE}: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
