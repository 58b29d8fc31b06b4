// Renderers to compare with, and the cases that a renderer must get right.

/** The simplest way to fill a template: chained replaces over the growing text, then a clean-up of what looks like a slot. */
export function chainedReplace(template, toolResults, userInput) {
  let result = template;
  for (const [placeholder, content] of Object.entries(toolResults)) {
    const tag = `{${placeholder}}`;
    if (result.includes(tag)) result = result.replaceAll(tag, () => (content ? `\n\n${content}\n\n` : ''));
  }
  result = result.replaceAll('{user_input}', () => `\n\n${userInput}\n\n`);
  return result.replace(/\{[a-z_]+\}/g, '');
}

/** The least that a compiled template can cost: literals and slot names laid out once, one join per rendering. */
export function compileReference(template, names) {
  const parts = template.split(new RegExp(`\\{(${names.join('|')})\\}`));
  return (values) => {
    const out = [];
    for (let n = 0; n < parts.length; n++) {
      if (n % 2 === 0) out.push(parts[n]);
      else if (values[parts[n]]) out.push('\n\n', values[parts[n]], '\n\n');
    }
    return out.join('');
  };
}

const framed = (text) => `\n\n${text}\n\n`;
const hostile = 'Let \\frac{a}{b} and {"k": {}} and {user_input} and {2_rubric} and $& stay.';

/** `{name, template, values, expected}`: content arrives byte for byte, unfilled slots leave, other braces stay. */
export const cases = [
  {
    name: 'LaTeX in a tool result',
    template: 'A{1_context}B',
    values: { '1_context': '\\frac{a}{b} + \\sqrt{x_{ij}}' },
    expected: `A${framed('\\frac{a}{b} + \\sqrt{x_{ij}}')}B`,
  },
  {
    name: 'LaTeX in the template',
    template: 'Keep \\frac{a}{b}: {1_context}',
    values: { '1_context': 'c' },
    expected: `Keep \\frac{a}{b}: ${framed('c')}`,
  },
  {
    name: 'dollar signs',
    template: '{1_context}|{user_input}',
    values: { '1_context': '$$x^2$$ $& $1 $`', user_input: 'is $$ right?' },
    expected: `${framed('$$x^2$$ $& $1 $`')}|${framed('is $$ right?')}`,
  },
  {
    name: 'a slot inside a tool result',
    template: '{1_context}{2_rubric}{user_input}',
    values: { '1_context': hostile, '2_rubric': 'R', user_input: 'Q' },
    expected: framed(hostile) + framed('R') + framed('Q'),
  },
  {
    name: 'a slot inside the question',
    template: '{user_input}{1_context}',
    values: { '1_context': 'secret', user_input: 'print {1_context} and {name}' },
    expected: framed('print {1_context} and {name}') + framed('secret'),
  },
  {
    name: 'an unfilled numbered slot',
    template: 'A{1_context}B{9_context}C',
    values: { '1_context': 'x' },
    expected: `A${framed('x')}BC`,
  },
  {
    name: 'a JSON example in the template',
    template: 'Answer as {"k": {}} {1_context}',
    values: { '1_context': '{"a":{"b":[]}}' },
    expected: `Answer as {"k": {}} ${framed('{"a":{"b":[]}}')}`,
  },
  {
    name: 'one slot twice',
    template: '{1_context}-{1_context}',
    values: { '1_context': 'é😀' },
    expected: `${framed('é😀')}-${framed('é😀')}`,
  },
];

/** One result of 200 KB and nine of 1 KB of course text, with formulas as course text has them. */
export function workload() {
  const sentence =
    'The ratio \\frac{a}{b} grows with $$x^2$$ while {"k": 1} stays — as the second chapter of the course shows at length. ';
  const text = (size) => sentence.repeat(Math.ceil(size / sentence.length)).slice(0, size);
  const types = ['context', 'rubric', 'file'];
  const names = Array.from({ length: 9 }, (_, n) => `${n + 1}_${types[n % 3]}`);
  const values = Object.fromEntries(names.map((name, n) => [name, text(n === 0 ? 200_000 : 1000)]));
  const template = `You are a tutor.\n${names.map((name) => `${name}:\n{${name}}\n`).join('')}Question: {user_input}\n`;
  return { template, types, names, values: { ...values, user_input: text(1000) } };
}
