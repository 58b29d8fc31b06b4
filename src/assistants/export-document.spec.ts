import { readImport } from './assistant-transfer';

const EXPORTED = { format: 'bellwether.assistant', format_version: 1, assistant: { name: 'Tutor', owner_id: 'x' } };

describe('reading an import', () => {
  it('takes our export and lists what is no part of a definition', () => {
    expect(readImport({ ...EXPORTED, odd: 1 })).toEqual({
      fields: { name: 'Tutor' },
      dropped: ['odd', 'assistant.owner_id'].map((path) => expect.objectContaining({ path, code: 'import.unknown' })),
    });
  });

  it.each([
    ['format_version', 99],
    ['format_version', '1'],
    ['format', 'bellwether.knowledge-base'],
    ['format', null],
  ])('refuses an export whose %s is %j: its members could mean something else', (path, value) => {
    expect(() => readImport({ ...EXPORTED, [path]: value })).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        problems: [expect.objectContaining({ path, code: 'import.format' })],
      }),
    );
  });
});
