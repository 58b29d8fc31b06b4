import { ERROR_CODES } from '@bellwether/kernel';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_STATUS } from '../../src/infrastructure/http';
import { TOOL_FAILURE_CODES } from '../../src/tools';

/** Tables are padded by the formatter. */
const reference = readFileSync(join(__dirname, '../../docs/reference/errors.md'), 'utf8').replace(/ +/g, ' ');

describe('docs/reference/errors.md', () => {
  it.each(ERROR_CODES.map((code) => [code, ERROR_STATUS[code]] as const))('lists %s with status %i', (code, status) => {
    expect(reference).toContain(`| \`${code}\` | ${status} |`);
  });

  it.each(TOOL_FAILURE_CODES)('explains the tool failure %s', (code) => {
    expect(reference).toContain(`| \`${code}\` |`);
  });
});
