import { describe, expect, it } from 'vitest';
import type { PipelineTool } from '$lib/app/catalogues/assistant';
import { changedLines, changesOf } from './changes';

const tool = (plugin: string, placeholder: string, config: Record<string, unknown> = {}): PipelineTool => ({
  plugin,
  placeholder,
  enabled: true,
  config,
});
const multi = (tools: readonly unknown[], more: object = {}) => ({
  metadata: { assistant_type: 'multi_tool', tools, ...more },
});
const BIOLOGY = tool('simple_rag', '1_context', { collections: ['biology'], top_k: 3 });
const CHEMISTRY = tool('simple_rag', '2_context', { collections: ['chemistry'], top_k: 3 });
const RUBRIC = tool('rubric_rag', '3_rubric', { rubric_id: 'r' });

describe('the differences of two definitions', () => {
  it('are none for the same content in another order of keys, and for what the service writes', () => {
    expect(changesOf(multi([BIOLOGY]), multi([{ ...BIOLOGY }], { _format_version: 3, functions: [] }))).toEqual([]);
    expect(changesOf(multi([]), multi([], { orchestrator: 'sequential' }))).toEqual([]);
  });

  it('tell the strategy, texts with their changed lines, and the name', () => {
    const before = { name: 'Tutor', prompt_template: 'a\nb\nc', ...multi([]) };
    const after = { name: 'Coach', prompt_template: 'a\nB\nC', ...multi([], { orchestrator: 'dag' }) };
    expect(changesOf(before, after)).toEqual([
      { key: 'value', path: 'name', from: 'Tutor', to: 'Coach' },
      { key: 'text', path: 'prompt_template', lines: 2, from: 'a\nb\nc', to: 'a\nB\nC' },
      { key: 'value', path: 'metadata.orchestrator', from: 'sequential', to: 'dag' },
    ]);
  });

  it('tell added and removed tools', () => {
    expect(changesOf(multi([BIOLOGY]), multi([BIOLOGY, RUBRIC]))).toEqual([
      { key: 'added', part: 'tool', entry: RUBRIC },
    ]);
    expect(changesOf(multi([BIOLOGY, RUBRIC]), multi([RUBRIC]))).toEqual([
      { key: 'removed', part: 'tool', entry: BIOLOGY },
    ]);
  });

  it('tell one move for a tool that was dragged past others, with its new placeholder', () => {
    const renumbered = [
      { ...RUBRIC, placeholder: '1_rubric' },
      { ...BIOLOGY, placeholder: '2_context' },
      { ...CHEMISTRY, placeholder: '3_context' },
    ];
    const changes = changesOf(multi([BIOLOGY, CHEMISTRY, RUBRIC]), multi(renumbered));
    expect(changes.filter(({ key }) => key === 'moved')).toEqual([
      { key: 'moved', part: 'tool', entry: renumbered[0], from: 3, to: 1 },
    ]);
    expect(changes.filter(({ key }) => key !== 'moved')).toEqual(
      [
        [renumbered[0], '3_rubric', '1_rubric'],
        [renumbered[1], '1_context', '2_context'],
        [renumbered[2], '2_context', '3_context'],
      ].map(([entry, from, to]) => ({ key: 'setting', part: 'tool', entry, path: 'placeholder', from, to })),
    );
  });

  it('tell settings and switches of a tool', () => {
    const now = { ...BIOLOGY, enabled: false, config: { ...BIOLOGY.config, top_k: 5 }, timeout_ms: 1000 };
    expect(changesOf(multi([BIOLOGY]), multi([now]))).toEqual([
      { key: 'switched_off', part: 'tool', entry: now },
      { key: 'setting', part: 'tool', entry: now, path: 'timeout_ms', from: undefined, to: 1000 },
      { key: 'setting', part: 'tool', entry: now, path: 'top_k', from: 3, to: 5 },
    ]);
  });

  it('tell functions by their target', () => {
    const expert = { type: 'assistant', assistant_id: 7, name: 'Expert' };
    const named = { ...expert, name: 'Biologist' };
    expect(changesOf(multi([], { functions: ['weather', expert] }), multi([], { functions: [named] }))).toEqual([
      { key: 'removed', part: 'function', entry: 'weather' },
      { key: 'setting', part: 'function', entry: named, path: 'name', from: 'Expert', to: 'Biologist' },
    ]);
  });

  it('tell the conversion to the other type', () => {
    const changes = changesOf({ metadata: { rag_processor: 'no_rag' } }, multi([]));
    expect(changes).toContainEqual({ key: 'value', path: 'type', from: 'classic', to: 'multi_tool' });
    expect(changes).toContainEqual({ key: 'value', path: 'metadata.rag_processor', from: 'no_rag', to: undefined });
  });

  it('count changed lines between equal beginnings and ends', () => {
    expect([changedLines('', 'a'), changedLines('a\nb\nc', 'a\nc'), changedLines('x', 'x\ny\nz')]).toEqual([1, 1, 2]);
  });

  it('tell each capability, and nothing where a switch is off and was not there', () => {
    const capabilities = { vision: false, image_generation: false, tool_use: true };
    expect(changesOf(multi([]), multi([], { verbose: false, capabilities }))).toEqual([]);
    expect(changesOf(multi([]), multi([], { capabilities: { ...capabilities, vision: true } }))).toEqual([
      { key: 'value', path: 'metadata.capabilities.vision', from: false, to: true },
    ]);
  });
});
