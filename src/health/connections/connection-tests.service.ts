import { AppError, type JsonObject, atMost } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderProbes, RerankerService, TranslatorService } from '../../connectors';
import { ExternalProbe } from '../../knowledge-bases';
import { MoodleProbe } from '../../moodle';
import {
  ConnectionHealth,
  type ConnectionState,
  type OrganizationRequest,
  type OrganizationRuntime,
  OrganizationsService,
  SettingsChecks,
  outcomeOf,
} from '../../organizations';
import { McpProbe } from '../../tools';
import type { ConnectionOutcomeDto, ConnectionTestDto, ProviderTestDto } from './connections.dto';

/** Each kind of vendor or server is asked by the module that speaks its protocol. */
@Injectable()
export class ConnectionProbes {
  constructor(
    readonly providers: ProviderProbes,
    readonly mcp: McpProbe,
    readonly moodle: MoodleProbe,
    readonly knowledgeBase: ExternalProbe,
    readonly rerankers: RerankerService,
    readonly translators: TranslatorService,
  ) {}
}

const MINUTE_MS = 60_000;
/** Limit of tests per organization and minute, in this process. */
const MAX_TESTS = 30;

/** Keeps a test from becoming a way to try keys or to scan for servers. */
@Injectable()
export class TestRate {
  private readonly minutes = new LRUCache<string, { readonly endsAt: number; tests: number }>(atMost(5_000));

  /** @throws {AppError} `too_many_requests` */
  count(organizationId: string): void {
    const now = Date.now();
    const held = this.minutes.get(organizationId);
    const minute = held !== undefined && held.endsAt > now ? held : { endsAt: now + MINUTE_MS, tests: 0 };
    this.minutes.set(organizationId, minute);
    minute.tests += 1;
    if (minute.tests <= MAX_TESTS) return;
    const retryAfter = Math.max(1, Math.ceil((minute.endsAt - now) / 1_000));
    throw new AppError('too_many_requests', `At most ${MAX_TESTS} tests in a minute`, {
      reason: 'connection.too_many_tests',
      values: { limit: MAX_TESTS },
      retryAfter,
    });
  }
}

type Found = Omit<ConnectionTestDto, keyof ConnectionOutcomeDto>;

const NOTHING: Found = {
  models: null,
  dimensions: null,
  tools: null,
  site: null,
  missing: null,
  collections: null,
  translation: null,
};

interface Trial {
  /** Path in the settings. */
  readonly connection: string;
  /** Values that are not stored, as in a patch of the settings. */
  readonly patch: JsonObject;
  /** The stored values are tested, so that the outcome is worth keeping. */
  readonly isStored: boolean;
  readonly ask: (runtime: OrganizationRuntime, signal: AbortSignal) => Promise<Partial<Found>>;
}

const noAddress = (): AppError => new AppError('connector_not_configured', 'There is no address to ask');

/** Any reranker can sort these. */
const RERANKED = { question: 'What do plants need?', passages: ['Plants need light.', 'Seven is a prime number.'] };

/** Most translators know both languages. */
const TRANSLATED = { text: 'What do plants need?', from: 'en', to: 'es' };

/** Asks a vendor or server once, with the values on the screen or the stored ones. */
@Injectable()
export class ConnectionTests {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly checks: SettingsChecks,
    private readonly health: ConnectionHealth,
    private readonly rate: TestRate,
    private readonly probes: ConnectionProbes,
  ) {}

  states({ organizationId }: OrganizationRequest): Promise<readonly ConnectionState[]> {
    return this.health.of(organizationId);
  }

  provider(at: OrganizationRequest, name: string, body: ProviderTestDto, signal: AbortSignal) {
    const { embedding_model: model, ...values } = body;
    return this.test(at, signal, {
      connection: `providers.${name}`,
      patch: { providers: { [name]: { enabled: true, ...given(values) } } },
      isStored: isEmpty(values) && model === undefined,
      ask: async ({ providers }, abort) => {
        const target = providers.get(name);
        if (target === undefined) throw noAddress();
        if (model === undefined) return { models: [...(await this.probes.providers.models(name, target, abort))] };
        return { dimensions: await this.probes.providers.dimensions(name, model, target, abort) };
      },
    });
  }

  mcpServer(at: OrganizationRequest, name: string, values: JsonObject, signal: AbortSignal) {
    return this.test(at, signal, {
      connection: `mcp.servers.${name}`,
      patch: { mcp: { servers: { [name]: { enabled: true, ...given(values) } } } },
      isStored: isEmpty(values),
      ask: async ({ mcpServers }, abort) => {
        const server = mcpServers.get(name);
        if (server === undefined) throw noAddress();
        return { tools: [...(await this.probes.mcp.tools(server, abort))] };
      },
    });
  }

  moodle(at: OrganizationRequest, values: JsonObject, signal: AbortSignal) {
    return this.test(at, signal, {
      connection: 'moodle',
      patch: { moodle: given(values) },
      isStored: isEmpty(values),
      ask: async ({ id, moodle }, abort) => {
        if (moodle === null) throw noAddress();
        const { name, missing } = await this.probes.moodle.site(id, moodle, abort);
        return { site: name, missing: [...missing] };
      },
    });
  }

  knowledgeBase(at: OrganizationRequest, values: JsonObject, signal: AbortSignal) {
    return this.test(at, signal, {
      connection: 'knowledge_base',
      patch: { knowledge_base: given(values) },
      isStored: isEmpty(values),
      ask: async ({ knowledgeBase }, abort) => {
        if (knowledgeBase === null) throw noAddress();
        return { collections: await this.probes.knowledgeBase.collections(knowledgeBase, abort) };
      },
    });
  }

  reranker(at: OrganizationRequest, values: JsonObject, signal: AbortSignal) {
    return this.test(at, signal, {
      connection: 'reranker',
      patch: { reranker: given(values) },
      isStored: isEmpty(values),
      ask: async ({ reranker }, abort) => {
        if (reranker === null) throw noAddress();
        await this.probes.rerankers.ask(reranker, { ...RERANKED, signal: abort });
        return {};
      },
    });
  }

  translator(at: OrganizationRequest, values: JsonObject, signal: AbortSignal) {
    return this.test(at, signal, {
      connection: 'translator',
      patch: { translator: given(values) },
      isStored: isEmpty(values),
      ask: async ({ translator }, abort) => {
        if (translator === null) throw noAddress();
        return { translation: await this.probes.translators.ask(translator, { ...TRANSLATED, signal: abort }) };
      },
    });
  }

  private async test(
    { organizationId }: OrganizationRequest,
    signal: AbortSignal,
    trial: Trial,
  ): Promise<ConnectionTestDto> {
    this.rate.count(organizationId);
    const patch = this.checks.valid(trial.patch);
    const startedAt = performance.now();
    let found: Partial<Found> = {};
    let failure: AppError | null = null;
    try {
      await this.checks.assertDialable(patch);
      found = await trial.ask(await this.organizations.trial(organizationId, patch), signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
      failure = error;
    }
    const outcome = outcomeOf(startedAt, failure);
    if (trial.isStored) await this.health.tested(organizationId, trial.connection, outcome);
    return { ...outcome, ...NOTHING, ...found };
  }
}

/** Members of a body that was sent without them are undefined, and a patch would set them. */
const given = (values: object): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const isEmpty = (values: object): boolean => Object.keys(given(values)).length === 0;
