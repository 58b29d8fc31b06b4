import { AppError, type Problem } from '@bellwether/kernel';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { FunctionCatalogue, ToolCatalogue } from './tool-catalogue';
import type { ToolDefinition } from './contract';
import type { ToolDto } from './tool.dto';
import type { ToolStats } from './tool-stats.repository';
import { ToolStatistics, statisticsName } from './tool-statistics';

/** A tool as the catalogue routes show it. `stats` holds null until calls are counted: nothing is invented. */
export type PresentedTool = Omit<ToolDefinition, 'aliases' | 'material_search'> &
  Pick<ToolDto, 'texts' | 'role' | 'evidence' | 'stats'>;

const NOTHING_COUNTED = { calls: null, failure_rate: null, avg_ms: null, p95_ms: null, confidence: null };

export const presentTool = (
  { aliases: _, material_search: __, texts, role = 'other', evidence = 'found', ...definition }: ToolDefinition,
  counted: ToolStats | null = null,
): PresentedTool => ({
  ...definition,
  texts: { en: { name: definition.display_name, about: definition.description }, ...texts },
  role,
  evidence,
  stats: counted ?? NOTHING_COUNTED,
});

type ToolKind = ToolDefinition['kind'];

export interface ToolFilter {
  readonly capability?: string | undefined;
  readonly kind?: ToolKind | undefined;
}

interface Found {
  readonly catalogue: Pick<ToolCatalogue, 'validateExactly'>;
  readonly definition: ToolDefinition;
}

/** The catalogue for our own routes and for LAMB's. */
@Injectable()
export class ToolsService {
  constructor(
    private readonly catalogue: ToolCatalogue,
    private readonly functions: FunctionCatalogue,
    @Optional() @Inject(ToolStatistics) private readonly statistics: ToolStatistics | null = null,
  ) {}

  /** Resolves when figures of the organization's calls can be shown; never rejects. */
  async countedIn(organizationId: string): Promise<void> {
    await this.statistics?.load(organizationId);
  }

  /** All tools and functions, or those of a kind or with a capability, with the figures of the organization's calls. */
  list({ capability, kind }: ToolFilter = {}, organizationId: string | null = null): readonly PresentedTool[] {
    return [...this.catalogue.definitions(), ...this.functions.definitions()]
      .filter((definition) => kind === undefined || definition.kind === kind)
      .filter(({ capabilities }) => capability === undefined || capabilities.includes(capability))
      .map((definition) => this.present(definition, organizationId));
  }

  /** Tool by name or alias, a pipeline tool before a function of the same name; `not_found` names the closest match. */
  get(name: string, kind?: ToolKind, organizationId: string | null = null): PresentedTool {
    return this.present(this.catalogueOf(name, kind).definition, organizationId);
  }

  /**
   * Everything the tool's schema has against a config, missing required members included; saving an assistant fills in
   * defaults instead. `{"config": {…}}` is taken for the config inside.
   */
  validate(name: string, body: unknown, kind?: ToolKind): readonly Problem[] {
    return this.catalogueOf(name, kind).catalogue.validateExactly(name, unwrap(body));
  }

  private present(definition: ToolDefinition, organizationId: string | null): PresentedTool {
    if (this.statistics === null || organizationId === null) return presentTool(definition);
    return presentTool(definition, this.statistics.of(organizationId, statisticsName(definition)));
  }

  private catalogueOf(name: string, kind: ToolKind | undefined): Found {
    for (const catalogue of kind === 'function' ? [this.functions] : [this.catalogue, this.functions]) {
      const definition = catalogue.find(name)?.definition;
      if (definition !== undefined && (kind === undefined || definition.kind === kind))
        return { catalogue, definition };
    }
    throw this.unknown(name);
  }

  private unknown(name: string): AppError {
    const closest = this.catalogue.closest(name) ?? this.functions.closest(name);
    const hint = closest === null ? '' : ` Did you mean '${closest}'?`;
    return new AppError('not_found', `There is no tool named '${name.slice(0, 64)}'.${hint}`);
  }
}

function unwrap(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body);
  return members.length === 1 && members[0]?.[0] === 'config' ? members[0][1] : body;
}
