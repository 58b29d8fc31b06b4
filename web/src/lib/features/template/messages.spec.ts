import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '$lib/app/catalogues/assistant';
import { templateMessages } from './messages';

const seen = (...[slots, empty, diagnostics]: Parameters<typeof templateMessages>) =>
  templateMessages(slots, empty, diagnostics).map(({ severity, text, fixes }) => [
    severity,
    text,
    ...fixes.map(({ kind }) => kind),
  ]);

describe('the lines under a template', () => {
  it('are none when every placeholder is used', () => {
    expect(seen([{ name: '1_context', state: 'used', key: 1 }], false, [])).toEqual([]);
  });

  it('tell of what nothing fills before what is unused, each with what helps', () => {
    const lines = seen(
      [
        { name: '1_context', state: 'unused', key: 1, title: 'Search' },
        { name: 'context', state: 'unused' },
        { name: 'user_input', state: 'unused' },
        { name: '2_rubric', state: 'undefined', key: 2, title: 'Rubric' },
        { name: '4_validation', state: 'undefined', key: 4, title: 'Check', later: true },
        { name: 'removed_3_file', state: 'undefined' },
        { name: 'file', state: 'undefined' },
      ],
      false,
      [],
    );
    expect(lines).toEqual([
      ['error', 'template.undefined_off', 'enable', 'remove'],
      ['error', 'template.undefined_later', 'remove'],
      ['error', 'template.undefined_removed', 'remove'],
      ['error', 'template.undefined', 'remove'],
      ['warning', 'template.unused', 'insert'],
      ['warning', 'template.unused_plain', 'insert'],
      ['warning', 'template.no_user_input', 'insert'],
    ]);
  });

  it('do not ask for the question in an empty template, which passes it on', () => {
    expect(seen([{ name: 'user_input', state: 'unused' }], true, [])).toEqual([]);
  });

  it('repeat of the service what is about the template and not known here', () => {
    const diagnostic = (code: Diagnostic['code'], path: string): Diagnostic => ({
      code,
      path,
      severity: 'warning',
      message: `says ${code}`,
    });
    expect(
      seen([], false, [
        diagnostic('placeholder.undefined', 'template'),
        diagnostic('metadata.invalid', 'template'),
        diagnostic('tool.unknown', 'metadata.tools[0]'),
      ]),
    ).toEqual([['warning', 'says metadata.invalid']]);
  });
});
