import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, ERROR_REASONS } from '@bellwether/kernel';
import { ProblemError, problemOf, toProblem } from './problem';

const LOCALES = ['en', 'es', 'ca', 'eu'] as const;
const ROOT = join(import.meta.dirname, '../../../../..');
const textsOf = (locale: string): Record<string, string> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../i18n/messages/errors.${locale}.json`), 'utf8')) as Record<
    string,
    string
  >;
/** Codes of the tables of docs/reference/errors.md, tool failures included. */
const page = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8');
const pages = ['errors', 'metadata', 'lamb-import']
  .map((name) => readFileSync(join(ROOT, `docs/reference/${name}.md`), 'utf8'))
  .join('\n');
const documented = [...page.replace(/^## Reasons$[^]*?(?=^## )/m, '').matchAll(/^\| `([a-z_.]+)`/gm)].map(
  ([, code]) => code,
);

describe('texts of errors', () => {
  it.each(LOCALES)('every code of the service has its words in %s', (locale) => {
    const texts = textsOf(locale);
    const codes = [
      ...new Set([...ERROR_CODES, ...documented, 'offline', 'unexpected', 'unexpected_answer', 'page_part_missing']),
    ];
    expect(codes.length).toBeGreaterThan(45);
    expect(codes.filter((code) => !texts[`errors.${code}`]?.trim())).toEqual([]);
  });
});

const MESSAGES = join(import.meta.dirname, '../i18n/messages');
const english = new Set(
  readdirSync(MESSAGES)
    .filter((name) => name.endsWith('.en.json'))
    .flatMap((name) => Object.keys(JSON.parse(readFileSync(join(MESSAGES, name), 'utf8')) as object)),
);
const AREAS = ['problem', 'content.document_error', 'form.diagnostic', 'errors', 'runs.warning', 'runs.code'];
const isWorded = (code: string): boolean =>
  AREAS.some((area) => english.has(`${area}.${code}`)) || english.has(`privacy.kept.${code}`);

/** Rooms whose words no page of the UI shows. */
const OTHERS = /^(cli|demo|lamb-import|scim)\//;

function codesOf(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = names.filter(
    (name) => /(?<!\.spec)\.ts$/.test(name) && !/testing\//.test(name) && !OTHERS.test(name),
  );
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  return [...new Set([...text.matchAll(/\bcode: '([a-z_.]+)'/g)].map(([, code]) => code ?? ''))];
}

// Other languages have the same keys (`messages.spec.ts`).
it('every reason and every code of a problem has words', () => {
  const codes = [...ERROR_REASONS, ...codesOf(join(ROOT, 'src')), ...codesOf(join(ROOT, 'extensions'))];
  expect(codes.length).toBeGreaterThan(120);
  expect(codes.filter((code) => !isWorded(code))).toEqual([]);
  expect(ERROR_REASONS.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  const described = codes.filter((code) => english.has(`problem.${code}`));
  expect(described.filter((code) => !pages.includes(`\`${code}\``))).toEqual([]);
});

describe('what is made of an answer', () => {
  it('keeps code, fields and request of a problem document', async () => {
    const body = {
      code: 'validation_failed',
      detail: 'The request is not valid',
      errors: [{ path: 'name', message: 'must not be empty' }],
      request_id: 'r-1',
    };
    const problem = await problemOf(new Response(JSON.stringify(body), { status: 400 }));
    expect(problem).toMatchObject({ ...{ status: 400, code: body.code, errors: body.errors }, requestId: 'r-1' });
  });

  it('keeps why exactly, with its values', async () => {
    const body = { code: 'conflict', detail: 'Full', reason: 'source.too_many', values: { limit: 50 } };
    const problem = await problemOf(new Response(JSON.stringify(body), { status: 409 }));
    expect(problem.reason).toEqual({ code: 'source.too_many', values: { limit: 50 } });
  });

  it("takes a proxy's page for what it is", async () => {
    const headers = { 'x-request-id': 'r-2' };
    const problem = await problemOf(new Response('<html>Bad gateway</html>', { status: 502, headers }));
    expect(problem).toMatchObject({ status: 502, code: 'http_502', requestId: 'r-2' });
  });

  it('tells a part of the page that did not load from a mistake of the page', () => {
    expect(toProblem(new TypeError("Cannot read properties of undefined (reading 'x')")).code).toBe('unexpected');
    expect(toProblem(new Error('x')).code).toBe('unexpected');
    for (const words of [
      'Failed to fetch dynamically imported module: /_app/a.js',
      'error loading dynamically imported module: /_app/a.js',
      'Importing a module script failed.',
      'Unable to preload CSS for /_app/a.css',
    ])
      expect(toProblem(new TypeError(words)).code).toBe('page_part_missing');
    const problem = new ProblemError(404, 'not_found', 'Assistant not found');
    expect(toProblem(problem)).toBe(problem);
  });
});
