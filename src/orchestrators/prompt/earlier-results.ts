import type { CompiledTemplate } from '../../kernel/templates';
import type { ToolOutcome } from '../../tools';
import { contentByPlaceholder } from './content-by-placeholder';
import { joinByTool } from './join-outcomes';
import { numberSources } from './number-sources';

/** Earlier results as one tool sees them; each is rendered on first access. */
export class EarlierResults {
  constructor(
    private readonly template: CompiledTemplate,
    private readonly after: readonly ToolOutcome[],
  ) {}

  readonly prompt = (): string => {
    const { outcomes } = numberSources(joinByTool(this.after));
    const contents = contentByPlaceholder(outcomes);
    for (const { placeholder } of outcomes) {
      if (placeholder !== null && !contents.has(placeholder)) contents.set(placeholder, '');
    }
    return this.template.renderPartial(contents);
  };

  readonly results = (): ReadonlyMap<string, ToolOutcome> => {
    const { outcomes } = numberSources(joinByTool(this.after));
    return new Map(
      outcomes.flatMap((outcome) => (outcome.placeholder === null ? [] : [[outcome.placeholder, outcome]])),
    );
  };
}
