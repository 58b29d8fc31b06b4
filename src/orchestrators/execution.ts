import type { PipelineTool, ToolOutcome, ToolTexts } from '../tools';

/** Calls one tool; never rejects. */
export type CallTool = (tool: PipelineTool, texts: ToolTexts, after: readonly ToolOutcome[]) => Promise<ToolOutcome>;

/**
 * The tool calls of one run: at most `limit` at once, first come first served, each tool once, and the outcome of each kept
 * under its position. Once a tool that must not fail has failed, `onFatal` is told and waiting tools do not start.
 */
export class Execution {
  private readonly calls = new Map<number, Promise<ToolOutcome>>();
  private readonly settled = new Map<number, ToolOutcome>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private failure: { tool: PipelineTool; message: string } | null = null;

  constructor(
    private readonly call: CallTool,
    private readonly limit: number,
    private readonly onFatal: () => void,
  ) {}

  /** The first failure of a tool with `on_error: fail`, or null. */
  get fatal(): { readonly tool: PipelineTool; readonly message: string } | null {
    return this.failure;
  }

  readonly start: CallTool = (tool, texts, after) => {
    const known = this.calls.get(tool.index);
    if (known !== undefined) return known;
    const outcome = this.run(tool, texts, after);
    this.calls.set(tool.index, outcome);
    return outcome;
  };

  /** Settles a tool that never starts. */
  readonly skip = (tool: PipelineTool, reason: string): ToolOutcome => {
    const outcome = skipped(tool, reason);
    this.calls.set(tool.index, Promise.resolve(outcome));
    this.settled.set(tool.index, outcome);
    return outcome;
  };

  /** One outcome per tool, in the order of `tools`, whatever the strategy did. */
  outcomesOf(tools: readonly PipelineTool[]): ToolOutcome[] {
    return tools.map((tool) => this.settled.get(tool.index) ?? skipped(tool, 'the strategy did not run it'));
  }

  private async run(tool: PipelineTool, texts: ToolTexts, after: readonly ToolOutcome[]): Promise<ToolOutcome> {
    if (this.running >= this.limit) await new Promise<void>((free) => this.waiting.push(free));
    else this.running += 1;
    const outcome =
      this.failure === null ? await this.call(tool, texts, after) : skipped(tool, 'an earlier tool stopped the run');
    this.settled.set(tool.index, outcome);
    if (outcome.status === 'failed' && tool.on_error === 'fail' && this.failure === null) {
      this.failure = { tool, message: outcome.message };
      this.onFatal();
    }
    // The place is handed over, not given back: nobody else can take it in between.
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
    return outcome;
  }
}

const skipped = ({ index, plugin, placeholder }: PipelineTool, reason: string): ToolOutcome => ({
  index,
  plugin,
  placeholder,
  status: 'skipped',
  reason,
  duration_ms: 0,
});
