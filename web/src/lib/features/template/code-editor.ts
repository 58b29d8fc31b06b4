import type { SlotGrammar } from '@bellwether/kernel/templates';
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { standardKeymap } from '@codemirror/commands';
import { Annotation, EditorSelection, EditorState, type Extension } from '@codemirror/state';
import { EditorView, type KeyBinding, keymap } from '@codemirror/view';
import type { SlotState, TemplateDocument } from './document';
import { editsBetween } from './edits';
import { editorTheme } from './editor-theme';
import { setSlots, type SlotTexts, slotMarks } from './slot-marks';
import { redo, undo } from './steps';
import { nextOccurrence, outsideSlots, type Surface } from './surface';

export interface Selection {
  readonly from: number;
  readonly to: number;
}

export interface CodeEditorOptions {
  readonly parent: HTMLElement;
  /** Read at every key, so that it may be another one later. */
  readonly document: () => TemplateDocument;
  readonly attributes: Readonly<Record<string, string>>;
  readonly texts: () => SlotTexts;
  /** Null puts the caret behind the text, without the focus. */
  readonly selection: Selection | null;
}

export type CreateCodeEditor = (options: CodeEditorOptions) => CodeEditor;

export interface CodeEditor extends Surface {
  /** Shows the document's text and the states of its slots; what is there already stays. */
  show(template: string, slots: readonly SlotState[]): void;
  destroy(): void;
}

/** A change that came from the document and is not to go back to it. */
const fromDocument = Annotation.define<true>();
/** Names the step of a change that is one of its own. */
const stepName = Annotation.define<string>();

/** CodeMirror over a template. It has no history of its own: the document's undoes tools and text together. */
export function createCodeEditor({ parent, document, attributes, texts, selection }: CodeEditorOptions): CodeEditor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: document().template,
      extensions: [
        slotMarks,
        autocompletion({ override: [completeSlot(document)], selectOnOpen: false, icons: false }),
        keymap.of([...historyKeys(document), ...completionKeymap, ...standardKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of(attributes),
        toDocument(document),
        editorTheme,
      ],
    }),
  });
  const { length } = view.state.doc;
  const { from, to } = selection ?? { from: length, to: length };
  view.dispatch({ selection: EditorSelection.range(Math.min(from, length), Math.min(to, length)) });
  if (selection !== null) view.focus();
  let shown: readonly SlotState[] | null = null;
  return {
    focus: () => view.focus(),
    insert: (text, step) => insert(view, document().grammar, text, step),
    reveal: (name) => reveal(view, name),
    show: (template, slots) => {
      showText(view, template, false);
      if (shown === slots) return;
      shown = slots;
      view.dispatch({ effects: setSlots.of({ grammar: document().grammar, slots, texts: texts() }) });
    },
    destroy: () => view.destroy(),
  };
}

const toDocument = (document: () => TemplateDocument): Extension =>
  EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    const own = transactions.filter((one) => one.docChanged && one.annotation(fromDocument) !== true);
    if (!docChanged || own.length === 0) return;
    const step = own.map((one) => one.annotation(stepName)).find((name) => name !== undefined);
    document().edit(state.doc.toString(), step);
  });

function insert(view: EditorView, grammar: SlotGrammar, text: string, step: string): void {
  const { empty, from, to } = view.state.selection.main;
  const at = empty ? outsideSlots(view.state.doc.toString(), grammar, from) : from;
  view.dispatch({
    changes: { from: at, to: Math.max(at, to), insert: text },
    selection: EditorSelection.cursor(at + text.length),
    annotations: stepName.of(step),
    scrollIntoView: true,
  });
}

/** `toChange`: the caret goes to where the text differs, unless that is in many places. */
function showText(view: EditorView, template: string, toChange: boolean): void {
  const text = template.replace(/\r\n?/g, '\n');
  const before = view.state.doc.toString();
  const edits = editsBetween(before, text);
  if (edits.length === 0) return;
  const changes = view.state.changes(edits.map(({ from, to, insert }) => ({ from, to, insert })));
  const [only, ...more] = edits;
  view.dispatch({
    changes,
    annotations: fromDocument.of(true),
    ...(toChange && only !== undefined && more.length === 0
      ? { selection: EditorSelection.cursor(changes.mapPos(only.to, 1)), scrollIntoView: true }
      : {}),
  });
}

function historyKeys(document: () => TemplateDocument): readonly KeyBinding[] {
  const run =
    (step: (of: TemplateDocument) => void) =>
    (view: EditorView): boolean => {
      step(document());
      showText(view, document().template, true);
      return true;
    };
  return [
    { key: 'Mod-z', run: run(undo), preventDefault: true },
    { key: 'Mod-y', run: run(redo), preventDefault: true },
    { key: 'Mod-Shift-z', run: run(redo), preventDefault: true },
  ];
}

function reveal(view: EditorView, name: string): void {
  const at = nextOccurrence(view.state.doc.toString(), name, view.state.selection.main.to);
  if (at === -1) return;
  view.dispatch({ selection: EditorSelection.range(at, at + name.length + 2), scrollIntoView: true });
  view.focus();
}

/** Behind these a brace belongs to LaTeX or to a word; the list then opens by Ctrl+Space only. */
const NO_OFFER = /[\\\w^}]$/;

const completeSlot =
  (document: () => TemplateDocument) =>
  (context: CompletionContext): CompletionResult | null => {
    const open = context.matchBefore(/\{\w*$/);
    if (open === null && !context.explicit) return null;
    const from = open?.from ?? context.pos;
    if (!context.explicit && NO_OFFER.test(context.state.sliceDoc(Math.max(0, from - 1), from))) return null;
    const options = document().slots.filter(({ state }) => state !== 'undefined');
    return { from, options: options.map(completion), filter: true, validFor: /^\{\w*$/ };
  };

const completion = ({ name, title, state }: SlotState): Completion => ({
  label: `{${name}}`,
  ...(title === undefined ? {} : { detail: title }),
  // What is not used yet is what is wanted most.
  boost: state === 'unused' ? 1 : 0,
  apply: (view, _completion, from, to) => {
    const closed = view.state.sliceDoc(to, to + 1) === '}' ? to + 1 : to;
    view.dispatch({
      changes: { from, to: closed, insert: `{${name}}` },
      selection: EditorSelection.cursor(from + name.length + 2),
      userEvent: 'input.complete',
    });
  },
});
