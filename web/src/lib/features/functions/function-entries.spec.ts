import { describe, expect, it } from 'vitest';
import type { FunctionEntry, ToolInfo } from '$lib/app/catalogues/assistant';
import {
  changedSettings,
  hasSettings,
  newEntry,
  placedOf,
  strangersOf,
  targetOf,
  withSettings,
} from './function-entries';

const tool = (name: string, properties: Record<string, unknown>, allow_multiple = false): ToolInfo =>
  ({ name, kind: 'function', allow_multiple, config_schema: { type: 'object', properties } }) as unknown as ToolInfo;

const weather = tool('weather', { units: { enum: ['metric', 'imperial'], default: 'metric' } });
const assistant = tool('assistant', { assistant_id: { 'x-reference': 'assistant' }, name: { default: null } }, true);
const rubric = tool('rubric', { rubric_id: { 'x-reference': 'rubric' } }, true);
const server = tool('mcp', { server: { default: '' } }, true);

describe('functions of a definition', () => {
  it('stand for what their settings refer to', () => {
    expect(targetOf(assistant)).toEqual({ kind: 'assistant', setting: 'assistant_id' });
    expect(targetOf(weather)).toBeNull();
    expect([hasSettings(weather), hasSettings(assistant), hasSettings(rubric)]).toEqual([true, true, false]);
  });

  it('are stored by name when there is one only, else as an object', () => {
    expect(newEntry(weather)).toBe('weather');
    expect(newEntry(assistant, 7)).toEqual({ type: 'assistant', assistant_id: 7 });
    expect(newEntry(server)).toEqual({ type: 'mcp' });
  });

  it('keep how they are stored, and every setting that is not known here', () => {
    expect(withSettings('weather', {})).toBe('weather');
    expect(withSettings('weather', { units: 'imperial' })).toEqual({ type: 'weather', units: 'imperial' });
    expect(withSettings({ type: 'weather', old: 1 }, { old: 1, units: 'metric' })).toEqual({
      type: 'weather',
      old: 1,
      units: 'metric',
    });
  });

  it('are found with their place in the list, those nobody knows too', () => {
    const functions: FunctionEntry[] = ['weather', { type: 'assistant', assistant_id: 7 }, 'gone'];
    expect(placedOf(functions, assistant)).toEqual([{ entry: functions[1], index: 1 }]);
    expect(strangersOf(functions, [weather, assistant])).toEqual([{ entry: 'gone', index: 2 }]);
  });

  it('tell only of settings that change something', () => {
    expect(changedSettings(weather, { units: 'metric' })).toEqual([]);
    expect(changedSettings(assistant, { assistant_id: 7, name: null })).toEqual([]);
    expect(changedSettings(assistant, { assistant_id: 7, name: 'Tutor' })).toEqual([['name', 'Tutor']]);
  });
});
