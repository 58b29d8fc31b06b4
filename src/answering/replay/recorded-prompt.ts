import { lastQuestion } from '../../kernel';
import { type PreparedPrompt, reportMessage, type RunReport } from '../../runs';
import type { Completion } from '../completion/completion.types';
import type { RecordedRun } from '../completion/recorded-run.types';

const NOTE = 'The prompt is that of the recorded run: no tool was asked.';

/** The recorded messages, unchanged. The answer is not checked: a check is a tool. */
export function recordedPrompt(completion: Completion, recorded: RecordedRun): PreparedPrompt {
  const { recording, sources, passages } = recorded;
  const messages = recording.prompt;
  return { messages, sources, passages, report: reportOf(completion, recorded), usage: null };
}

function reportOf({ assistant, request, run }: Completion, { shown, report, sources }: RecordedRun): RunReport {
  const { id, name, document } = assistant;
  const told: RunReport = report ?? {
    created_at: '',
    orchestrator: run.input.strategy,
    assistant: { id, name, type: document.type },
    request: { user_message: lastQuestion(request.messages), stream: request.stream },
    tools: [],
    results: [],
    sources,
    messages: [],
    warnings: [],
  };
  const { calls: _calls, functions: _functions, vendor_failure: _failure, ...rest } = told;
  const fresh = { created_at: new Date().toISOString(), messages: shown.map(reportMessage) };
  return { ...rest, ...fresh, sources, warnings: [...told.warnings, NOTE] };
}
