import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cleanup } from '@testing-library/svelte';
import type { Config, JsonSchema } from './schema-form';
import SchemaForm from './SchemaForm.svelte';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    depth: { type: 'integer', title: 'Depth', minimum: 1, maximum: 5, default: 2 },
    tone: { type: 'string', title: 'Tone', enum: ['kind', 'strict'] },
    loud: { type: 'boolean', title: 'Loud', default: true },
    words: { type: 'array', title: 'Words', items: { type: 'string' }, maxItems: 2 },
    note: { type: ['string', 'null'], title: 'Note' },
    weird: { title: 'Weird', oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  additionalProperties: false,
};

/** The form as its owner shows it: with every change handed back. */
function shown(start: Config): { config: () => Config } {
  let config = start;
  const onchange = vi.fn((next: Config) => {
    config = next;
    void view.rerender({ schema, value: config, onchange });
  });
  const view = render(SchemaForm, { schema, value: config, onchange });
  return { config: () => config };
}
afterEach(cleanup);

describe('a form made from a schema', () => {
  it('shows defaults without writing them', () => {
    const { config } = shown({});
    expect((screen.getByLabelText('Depth') as HTMLInputElement).value).toBe('2');
    expect((screen.getByLabelText('Loud') as HTMLInputElement).checked).toBe(true);
    expect(config()).toEqual({});
  });

  it('writes what is typed with its type, and takes a setting out that is emptied', async () => {
    const { config } = shown({ kept: { by: 'us' } });
    await fireEvent.input(screen.getByLabelText('Depth'), { target: { value: '4' } });
    await fireEvent.change(screen.getByLabelText('Tone'), { target: { value: '1' } });
    await fireEvent.click(screen.getByLabelText('Loud'));
    await fireEvent.input(screen.getByLabelText('Note'), { target: { value: 'Hi' } });
    expect(config()).toEqual({ kept: { by: 'us' }, depth: 4, tone: 'strict', loud: false, note: 'Hi' });
    await fireEvent.input(screen.getByLabelText('Depth'), { target: { value: '' } });
    await fireEvent.input(screen.getByLabelText('Note'), { target: { value: '' } });
    expect(config()).toEqual({ kept: { by: 'us' }, tone: 'strict', loud: false, note: null });
  });

  it('says at the field what is wrong', async () => {
    shown({ depth: 9 });
    expect(screen.getByLabelText('Depth').getAttribute('aria-invalid')).toBe('true');
    await fireEvent.input(screen.getByLabelText('Depth'), { target: { value: '3' } });
    expect(screen.getByLabelText('Depth').getAttribute('aria-invalid')).toBeNull();
  });

  it('keeps JSON that is half written to itself', async () => {
    const { config } = shown({ weird: 1 });
    const editor = screen.getByLabelText('Weird') as HTMLTextAreaElement;
    await fireEvent.input(editor, { target: { value: '{"a":' } });
    expect(config()).toEqual({ weird: 1 });
    expect(editor.value).toBe('{"a":');
    expect(editor.getAttribute('aria-invalid')).toBe('true');
    await fireEvent.input(editor, { target: { value: '{"a": [] }' } });
    expect(config()).toEqual({ weird: { a: [] } });
    expect(editor.value).toBe('{"a": [] }');
  });

  it('adds and removes entries of lists up to their bound', async () => {
    const { config } = shown({ words: ['one'] });
    const add = screen.getByText('tools.add_item').closest('button') as HTMLButtonElement;
    await fireEvent.click(add);
    expect(config()).toEqual({ words: ['one', ''] });
    expect(add.disabled).toBe(true);
    await fireEvent.click(screen.getAllByLabelText('tools.remove_item')[0] as HTMLElement);
    expect(config()).toEqual({ words: [''] });
  });
});
