import { AppError } from './errors';
import { encodeCursor, integerCursor, pageOf, textCursor, uuidCursor } from './paging';

const UUID = '0197a0b2-7c11-7000-8000-000000000001';

const refused = (read: () => unknown): void => {
  expect(read).toThrow(AppError);
  expect(read).toThrow(expect.objectContaining({ code: 'validation_failed' }));
};

describe('pageOf', () => {
  const rows = [{ id: 3 }, { id: 2 }, { id: 1 }];

  it('cuts the extra row off and points behind the last one shown', () => {
    expect(pageOf(rows, 2, ({ id }) => id)).toEqual({ items: [{ id: 3 }, { id: 2 }], next_cursor: encodeCursor([2]) });
  });

  it.each([
    ['the rows fill the page exactly', rows],
    ['there are none', []],
  ])('has no next page when %s', (_, found) => {
    expect(pageOf(found, 3, ({ id }) => id)).toEqual({ items: found, next_cursor: null });
  });
});

describe('cursors', () => {
  it('give the key back that a page ended with', () => {
    expect(uuidCursor(encodeCursor([UUID]))).toBe(UUID);
    expect(textCursor(encodeCursor(['notes/a.txt']))).toBe('notes/a.txt');
    expect(integerCursor(encodeCursor([42]))).toBe(42);
    expect([uuidCursor(null), textCursor(null), integerCursor(null)]).toEqual([null, null, null]);
  });

  it('are refused when another list made them', () => {
    refused(() => uuidCursor(encodeCursor(['notes'])));
    refused(() => textCursor(encodeCursor([42])));
    refused(() => integerCursor(encodeCursor([UUID])));
    refused(() => integerCursor(encodeCursor([1.5])));
    refused(() => uuidCursor(encodeCursor([UUID, UUID])));
    refused(() => uuidCursor('%%%'));
  });
});
