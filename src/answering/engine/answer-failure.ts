import { AppError } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import { toAppError } from '../../infrastructure/http';
import { type RunOutcome, abortFailure } from '../../runs';
import { CLIENT_GONE } from '../admission/streams-in-flight';
import type { AnswerEnd, Completion } from '../completion.types';
import type { AnswerRecordBuilder } from './answer-record-builder';
import { RUN_TIMEOUT } from './prompt-preparation.service';

const logger = new Logger('Completions');

/** The last event of an answer that came to its end, which may have been stopped meanwhile. */
export function finishedAnswer(completion: Completion, builder: AnswerRecordBuilder): AnswerEnd {
  try {
    completion.run.signal.throwIfAborted();
    return { type: 'finished', record: builder.record({ status: 'completed' }) };
  } catch (error) {
    return failedAnswer(completion, builder, error);
  }
}

/** The last event of a failed answer. */
export function failedAnswer(completion: Completion, builder: AnswerRecordBuilder, cause: unknown): AnswerEnd {
  const { abortReason } = completion.run;
  const error = failureOf(abortReason, cause);
  if (error.code.startsWith('upstream_')) logVendor(completion, builder, error);
  return { type: 'failed', record: builder.record(endingOf(abortReason, error), error.vendor), error, cause };
}

/** Logs a failure that a reader sends itself, past the exception filter and its log. */
export function logBrokenAnswer(runId: string, { code }: AppError, cause: unknown): void {
  if (code !== 'internal_error') return;
  const told = cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause;
  logger.error({ msg: 'completion failed after its first byte', run_id: runId, cause: told });
}

function endingOf(
  abortReason: string | null,
  { code, detail }: AppError,
): Pick<RunOutcome, 'status' | 'errorCode' | 'message'> {
  if (code !== 'cancelled') return { status: 'failed', errorCode: code, message: detail };
  return { status: 'cancelled', errorCode: code, message: abortReason ?? detail };
}

function failureOf(abortReason: string | null, error: unknown): AppError {
  if (abortReason === null) return toAppError(error);
  if (abortReason === CLIENT_GONE) return new AppError('cancelled', CLIENT_GONE);
  if (abortReason === RUN_TIMEOUT) return new AppError('tool_loop.timeout', 'The run took longer than it may');
  return abortFailure(abortReason) ?? new AppError('cancelled', 'The run was cancelled');
}

/** Without the vendor's message, which may quote content. */
function logVendor({ assistant, run }: Completion, builder: AnswerRecordBuilder, { code, vendor }: AppError): void {
  logger.warn({
    msg: 'model vendor failed',
    run_id: run.id,
    request_id: run.input.caller.origin?.requestId ?? null,
    organization_id: assistant.organizationId,
    assistant_id: assistant.id,
    ...builder.vendor,
    code,
    status: vendor?.status ?? null,
    vendor_request_id: vendor?.request_id ?? null,
    retries: vendor?.retries ?? 0,
    duration_ms: Math.round(performance.now() - run.startedMono),
  });
}
