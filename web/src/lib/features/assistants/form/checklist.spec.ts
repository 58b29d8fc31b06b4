import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '$lib/app/catalogues/assistant';
import { checksOf, countsOf } from './checklist';
import { targetOf } from './targets';

const unused: Diagnostic = {
  severity: 'warning',
  code: 'placeholder.unused',
  path: 'metadata.tools[1].placeholder',
  message: '{2_context} is not used in the template',
};
const undefinedAt = (start: number): Diagnostic => ({
  severity: 'warning',
  code: 'placeholder.undefined',
  path: 'template',
  message: '{3_file} stays empty: no tool provides it',
  range: { start, end: start + 8 },
});

describe('the checklist', () => {
  it('is empty for a named assistant without diagnostics', () => {
    expect(checksOf({ name: 'A', diagnostics: [], refused: [] })).toEqual([]);
  });

  it('puts errors first and counts by severity', () => {
    const checks = checksOf({ name: ' ', diagnostics: [unused, undefinedAt(0), undefinedAt(20)], refused: [] });
    expect(checks.map(({ code }) => code)).toEqual([
      'name.missing',
      'placeholder.unused',
      'placeholder.undefined',
      'placeholder.undefined',
    ]);
    expect(countsOf(checks)).toEqual({ error: 1, warning: 3, info: 0 });
  });

  it('shows what a save was refused for once, also when the live checks say it too', () => {
    const error: Diagnostic = {
      severity: 'error',
      code: 'tool.config_invalid',
      path: 'metadata.tools[0].config.top_k',
      message: 'must be <= 20',
    };
    const checks = checksOf({
      name: 'A',
      diagnostics: [error],
      refused: [{ path: error.path, message: error.message }],
    });
    expect(checks).toHaveLength(1);
    expect(checks[0]?.target).toEqual({ part: 'tools', tool: 0 });
  });
});

describe('the place of a path', () => {
  it.each([
    ['name', 'name', null],
    ['template', 'prompt_template', null],
    ['prompt_template', 'prompt_template', null],
    ['RAG_collections[0]', 'collections', null],
    ['metadata.tools[12].config.collections', 'tools', 12],
    ['metadata.functions[0].assistant_id', 'functions', null],
    ['metadata.orchestrator_options.max_steps', 'strategy', null],
    ['metadata.rubric_id', 'rubric', null],
    ['metadata.anything', 'other', null],
  ])('%s', (path, part, tool) => {
    expect(targetOf(path)).toEqual({ part, tool });
  });
});
