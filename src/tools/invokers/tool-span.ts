import type { Span } from '../../infrastructure/context';
import type { CallTrace } from '../calls/call.types';
import type { ToolFailureCode } from '../contract';

/** Characters of a result or question in a span. */
const MOST_CHARS = 16_000;

interface TracedCall {
  /** The model's id of the call. */
  readonly callId?: string;
  /** Question or arguments. */
  readonly asked: string;
}

/** Null where the trace has too many spans. */
export function beginToolSpan(
  parent: Span,
  kind: 'tool' | 'function',
  tool: string,
  { callId, asked }: TracedCall,
): Span | null {
  return parent.child({
    name: `execute_tool ${tool}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': kind === 'tool' ? 'datastore' : 'function',
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.call.arguments': parent.capturesContents ? asked.slice(0, MOST_CHARS) : null,
    },
  });
}

export interface TracedEnd extends Pick<CallTrace, 'retries' | 'cached'> {
  /** Null for a call that completed. */
  readonly code: ToolFailureCode | null;
  readonly content: string;
}

export function endToolSpan(span: Span, { retries, cached, code, content }: TracedEnd): void {
  span.set({ 'bellwether.tool.retries': retries, 'bellwether.tool.cached': cached });
  if (span.capturesContents) span.set({ 'gen_ai.tool.call.result': content.slice(0, MOST_CHARS) });
  if (code !== null) span.fail(code);
  span.end();
}
