import { titleOf } from './text';

it.each([
  ['its only heading of the highest kind', '# Osmosis\n\n## Cells\n\ntext\n\n## Salt', 'Osmosis'],
  ['a heading above which nothing stands', 'text\n\n## Osmosis\n\n### Cells', 'Osmosis'],
  ['none of several chapters', '# CHAPTER 1 – INTRODUCTION\n\ntext\n\n# CHAPTER 2 – RULES', null],
  ['no part that stands before a higher heading', '## Preface\n\n# Osmosis', null],
  ['no comment of a listing', '# Osmosis\n\n```\n# install\n# run\n```', 'Osmosis'],
  ['nothing without headings', 'text', null],
])('a text is called by %s', (_, text, title) => expect(titleOf(text)).toBe(title));
