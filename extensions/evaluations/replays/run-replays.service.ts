import {
  AppError,
  type Caller,
  type JsonObject,
  NO_ASSISTANT,
  type Problem,
  invalid,
  isJsonObject,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BackgroundCompletions, type ReplayRequest } from '../../../src/answering';
import { AssistantHistory } from '../../../src/assistants';
import { AUTO, ConnectorsService } from '../../../src/connectors';
import { SourceLinks } from '../../../src/knowledge-bases';
import { type Recording, type RunRecord, type RunReplay, RunsService, type WithQueuedRun } from '../../../src/runs';
import { QuestionAccessAudit, RunAccess } from '../../../src/runs-api';
import {
  type ReplayChanges,
  type ReplayWish,
  changed,
  frameOf,
  unknownPlaceholders,
  without,
} from './replay-definition';

/** Codes of problems with content that no longer exists. */
const GONE: ReadonlySet<string> = new Set([
  'tool.inaccessible',
  'tool.disabled',
  'tool.unknown',
  'tool.unreadable',
  'orchestrator.unknown',
  'connector.unknown',
  'connector.not_configured',
  'connector.model_unavailable',
]);

/** The problems of a refusal, if all of them are about missing content; else none. */
export const goneIn = (error: unknown): readonly Problem[] =>
  error instanceof AppError && error.problems.length > 0 && error.problems.every(({ code = '' }) => GONE.has(code))
    ? error.problems
    : [];

interface Source {
  readonly record: RunRecord;
  readonly recording: Recording;
}

const NOT_KEPT: Readonly<Record<string, string>> = {
  deleted: 'The contents of this run are no longer kept, or were never recorded',
  no_prompt: 'The run ended before its prompt was filled',
  too_large: 'The conversation was too large to be recorded',
  secret: 'The conversation held a credential, so it was not recorded',
};

/** Repeats recorded runs: with their recorded results, or afresh. For people who edit the assistant. */
@Injectable()
export class RunReplays {
  constructor(
    private readonly access: RunAccess,
    private readonly runs: RunsService,
    private readonly background: BackgroundCompletions,
    private readonly history: AssistantHistory,
    private readonly connectors: ConnectorsService,
    private readonly links: SourceLinks,
    private readonly accesses: QuestionAccessAudit,
  ) {}

  /**
   * @throws AppError `not_found`, `forbidden`, `validation_failed`; `conflict` with the reason `run.going`,
   * `replay.not_kept` or `replay.gone`; as a background run
   */
  async start(caller: Caller, id: string, wish: ReplayWish, also?: WithQueuedRun): Promise<RunRecord> {
    const source = await this.source(caller, id);
    const { record } = source;
    const run: RunReplay = { of: record.id, mode: wish.mode, changes: { ...wish.changes } };
    const request =
      wish.mode === 'recorded' ? await this.recorded(source, run, wish) : await this.fresh(caller, source, run, wish);
    try {
      return await this.background.startReplay(caller, request, also);
    } catch (error) {
      const problems = goneIn(error);
      if (problems.length === 0) throw error;
      if (wish.leaveOutMissing && wish.mode === 'fresh') {
        const definition = without(
          request.definition,
          problems.map(({ path }) => path),
        );
        return this.background.startReplay(caller, { ...request, definition }, also);
      }
      throw await this.gone(source, problems, wish.mode);
    }
  }

  private async source(caller: Caller, id: string): Promise<Source> {
    const { record, disclosure, access } = await this.access.seen(caller, id);
    if (record.status === 'queued' || record.status === 'running')
      throw new AppError('conflict', 'A run can be repeated when it has ended', { reason: 'run.going' });
    if (access === null && record.organizationId === caller.organizationId)
      throw goneError([{ path: 'assistant', message: 'The assistant no longer exists', code: 'assistant.gone' }], []);
    if (disclosure !== 'whole')
      throw new AppError('forbidden', 'Only people who edit the assistant can repeat its runs');
    const recording = await this.runs.recording(record);
    if (typeof recording === 'string') {
      const detail = NOT_KEPT[recording] ?? 'The run was not recorded';
      throw new AppError('conflict', detail, { reason: 'replay.not_kept', values: { why: recording } });
    }
    // The repetition shows the question to its reader, as a run of their own.
    await this.accesses.ofOne(caller, record);
    return { record, recording };
  }

  private async recorded(
    { record, recording }: Source,
    run: RunReplay,
    { changes }: ReplayWish,
  ): Promise<ReplayRequest> {
    assertModelOnly(changes);
    const definition = frameOf(record, changes);
    const problems = await this.modelProblems(record, definition);
    if (problems.length > 0) throw goneError(problems, ['model', 'fresh']);
    const found = await this.runs.find(record.organizationId, record.id);
    const { sources = [], passages = [], report = null } = found ?? {};
    return {
      ...{ run, definition, assistantId: assistantOf(record), chat: chatOf(recording) },
      replay: { recorded: { recording, shown: this.shown(recording), sources, passages, report }, instruction: null },
    };
  }

  /** The model gets the recorded bytes. The report hides the asker's links: its reader is another person. */
  private shown({ prompt }: Recording): Recording['prompt'] {
    return JSON.parse(this.links.withoutTokens(JSON.stringify(prompt))) as Recording['prompt'];
  }

  private async fresh(
    caller: Caller,
    { record, recording }: Source,
    run: RunReplay,
    { changes }: ReplayWish,
  ): Promise<ReplayRequest> {
    const before = await this.definition(caller, record, recording, changes.version);
    const unknown = unknownPlaceholders(before, changes);
    if (unknown.length > 0)
      throw invalid(unknown.map((name) => ({ path: `changes.tools.${name}`, message: 'is no tool of the assistant' })));
    return {
      ...{ run, definition: changed(before, changes), assistantId: assistantOf(record), chat: chatOf(recording) },
      replay: { recorded: null, instruction: recording.instruction },
    };
  }

  /** The version that answered, another one, or the definition that was not saved. */
  private async definition(
    caller: Caller,
    { assistantId, assistantVersion }: RunRecord,
    { definition }: Recording,
    wanted: number | undefined,
  ): Promise<JsonObject> {
    if (wanted === undefined && isJsonObject(definition)) return definition;
    if (assistantId === NO_ASSISTANT)
      throw invalid([{ path: 'changes.version', message: 'the definition was not saved, so it has no versions' }]);
    const number = wanted ?? assistantVersion ?? (await this.history.newest(caller, assistantId));
    const version = await this.history.version(caller, assistantId, number);
    const { name, description, system_prompt, prompt_template, metadata, RAG_collections, RAG_Top_k } = version;
    return { name, description, system_prompt, prompt_template, metadata, RAG_collections, RAG_Top_k };
  }

  private async modelProblems({ organizationId }: RunRecord, { metadata }: JsonObject): Promise<readonly Problem[]> {
    const { connector, llm } = metadata as { connector: string | null; llm: string };
    if (connector === null)
      return [{ path: 'changes.connector', message: 'The run asked no model; name one', code: 'connector.unknown' }];
    const doubts = connector === AUTO ? [] : await this.connectors.doubts(organizationId, { connector, llm });
    return doubts.map(({ code, member, message }) => ({ path: `changes.${member}`, message, code }));
  }

  /** The refusal names the ways that are left: the recorded results if their model exists, or a run without the missing tools. */
  private async gone({ record }: Source, problems: readonly Problem[], mode: RunReplay['mode']): Promise<AppError> {
    if (mode === 'recorded') return goneError(problems, ['model', 'fresh']);
    const recorded = (await this.modelProblems(record, frameOf(record, {}))).length === 0;
    return goneError(problems, [...(recorded ? ['recorded'] : []), 'without']);
  }
}

/** Texts of the ways that are left, by name. */
const LEFT: Readonly<Record<string, string>> = {
  recorded: 'repeat it with the recorded results',
  without: 'repeat it afresh without what is gone (`leave_out_missing`)',
  model: 'name another model',
  fresh: 'repeat it afresh',
};

function goneError(problems: readonly Problem[], left: readonly string[]): AppError {
  const ways = left.map((name) => LEFT[name]).join('; ');
  const detail = `Something that the run used no longer exists${ways === '' ? '' : `. You can ${ways}`}`;
  return new AppError('conflict', detail, { reason: 'replay.gone', problems, values: { left: left.join(',') } });
}

const assistantOf = ({ assistantId }: RunRecord): number | null => (assistantId === NO_ASSISTANT ? null : assistantId);

const chatOf = ({ request }: Recording): JsonObject => ({ ...request.params, messages: request.messages });

function assertModelOnly(changes: ReplayChanges): void {
  const others = (['orchestrator', 'version', 'tools'] as const).filter((name) => changes[name] !== undefined);
  if (others.length === 0) return;
  throw invalid(
    others.map((name) => ({
      path: `changes.${name}`,
      message: 'needs the mode `fresh`: recorded results stay as they are',
    })),
  );
}
