import type katexType from 'katex';
import type { Action } from 'svelte/action';
import { GrowingBlocks } from './growing-blocks';
import type { Attachment } from 'svelte/attachments';
import { marksOf } from './passage-text';
import { blocksOf, blocksOfTokens, elementsOf, lexMarkdown } from './markdown';

export interface AnswerContent {
  readonly text: string;
  /** Numbers that have a source: their marks become buttons. */
  readonly numbers: ReadonlySet<number>;
  /** Name of the button of a source. */
  readonly labelOf: (n: number) => string;
  readonly copyLabel: string;
}

interface Drawn {
  readonly key: string;
  readonly element: HTMLElement;
}

type Katex = typeof katexType;
let katex: Katex | null = null;
let loading: Promise<void> | null = null;

/** Formulas are drawn by a library that is fetched when the first one is there. */
function withKatex(then: () => void): void {
  loading ??= Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(([module]) => {
    katex = module.default;
  });
  loading.then(then, () => {
    loading = null;
  });
}

function maths(node: HTMLElement): void {
  const found = node.querySelectorAll<HTMLElement>('[data-tex]:not([data-drawn])');
  if (found.length === 0) return;
  if (katex === null) return withKatex(() => maths(node));
  for (const element of found) {
    element.dataset['drawn'] = '';
    const displayMode = element.dataset['display'] !== undefined;
    katex.render(element.dataset['tex'] ?? '', element, {
      throwOnError: false,
      displayMode,
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    });
    if (displayMode) element.tabIndex = 0;
  }
}

/** A full stop behind a button stays on its line. */
function keepStop(button: HTMLElement): void {
  const after = button.nextSibling;
  const stop = after instanceof Text ? (/^[.,;:!?…)\]»”]+/u.exec(after.data)?.[0] ?? '') : '';
  if (stop === '' || !(after instanceof Text)) return;
  const line = document.createElement('span');
  line.style.whiteSpace = 'nowrap';
  after.deleteData(0, stop.length);
  button.replaceWith(line);
  line.append(button, stop);
}

/** Shows a passage of the material. Its headings are none of the page, and words of the question are marked. */
export const passageView =
  (text: string, question: string): Attachment<HTMLElement> =>
  (node) => {
    node.replaceChildren(...blocksOf(text).map((block) => elementsOf({ ...block, headingLevel: 0 })));
    markWords(node, question);
    maths(node);
  };

function markWords(node: HTMLElement, question: string): void {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode() !== null) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const marks = marksOf(text.data, question);
    if (text.parentElement?.closest('[data-tex]') !== null || !marks.some(({ hit }) => hit)) continue;
    text.replaceWith(
      ...marks.map(({ text: part, hit }) => {
        if (!hit) return part;
        const mark = document.createElement('mark');
        mark.textContent = part;
        return mark;
      }),
    );
  }
}

/**
 * Shows Markdown that grows: only blocks that changed are drawn again, so that a long answer costs as much at its end as at
 * its beginning and a selection in it stays.
 */
export const answerView: Action<HTMLElement, AnswerContent> = (node, given) => {
  let content = given;
  let drawn: Drawn[] = [];
  const growing = new GrowingBlocks(lexMarkdown);

  const draw = (): void => {
    const blocks = blocksOfTokens(growing.of(content.text));
    let same = 0;
    while (same < blocks.length && drawn[same]?.key === blocks[same]?.key) same += 1;
    for (const { element } of drawn.slice(same)) element.remove();
    const fresh = blocks.slice(same).map((block) => {
      const element = document.createElement('div');
      element.append(elementsOf(block));
      return { key: block.key, element };
    });
    node.append(...fresh.map(({ element }) => element));
    drawn = [...drawn.slice(0, same), ...fresh];
    maths(node);
    cite();
    copyable();
  };

  /** Each block of code gets a button beside it; who shows the answer copies. */
  const copyable = (): void => {
    for (const code of node.querySelectorAll('pre')) {
      if (code.parentElement?.className === 'code-box') continue;
      const box = document.createElement('div');
      box.className = 'code-box';
      const button = document.createElement('button');
      button.type = 'button';
      button.dataset['copy'] = '';
      button.textContent = content.copyLabel;
      code.replaceWith(box);
      box.append(code, button);
    }
  };

  const cite = (): void => {
    for (const mark of node.querySelectorAll<HTMLElement>('span[data-cite]')) {
      const n = Number(mark.dataset['cite']);
      if (!content.numbers.has(n)) continue;
      const button = document.createElement('button');
      button.type = 'button';
      button.dataset['cite'] = String(n);
      button.textContent = String(n);
      button.setAttribute('aria-label', content.labelOf(n));
      button.setAttribute('aria-haspopup', 'dialog');
      mark.replaceWith(button);
      keepStop(button);
    }
  };

  draw();
  return {
    update(next) {
      const isNewText = next.text !== content.text;
      content = next;
      if (isNewText) draw();
      else cite();
    },
    destroy() {
      drawn = [];
    },
  };
};
