import { EditorView } from '@codemirror/view';

/** The editor in the colours of the page. States differ by the kind of line under them too, not by colour alone. */
export const editorTheme = EditorView.theme({
  '&': {
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    fontSize: '0.9375rem',
    lineHeight: '1.6',
    minHeight: '12rem',
    maxHeight: '70vh',
    overflow: 'auto',
  },
  '.cm-content': { padding: '0.45rem 0', caretColor: 'var(--text)', minHeight: '12rem' },
  '.cm-line': { padding: '0 0.65rem' },
  '.slot': {
    borderRadius: '4px',
    padding: '0.05em 0.15em',
    background: 'var(--sunken)',
    border: '1px solid var(--line-strong)',
    boxDecorationBreak: 'clone',
  },
  '.slot-used': { background: 'var(--good-soft)', color: 'var(--good)', borderColor: 'var(--good)' },
  '.slot-undefined': {
    background: 'var(--bad-soft)',
    color: 'var(--bad)',
    borderColor: 'var(--bad)',
    borderStyle: 'dashed',
    textDecoration: 'underline wavy',
    textUnderlineOffset: '0.2em',
  },
  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.3rem 0.6rem', minHeight: '24px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-ground)',
    color: 'var(--on-accent)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { fontFamily: 'var(--font)', fontStyle: 'normal', opacity: '0.85' },
});
