import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { counter, DURATIONS, histogram, MetricRegistry } from '../infrastructure/telemetry';
import type { UsageFigures } from './usage.repository';
import type { ModelCall } from './model-call';

const CALL = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

export const MODEL_CALL_DURATION = histogram({
  name: 'gen_ai_client_operation_duration_seconds',
  help: 'Duration of calls to model vendors, retries included. error_type is empty for calls that succeeded.',
  labels: [...CALL, 'error_type'],
  buckets: DURATIONS,
});
export const MODEL_FIRST_CHUNK = histogram({
  name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
  help: 'Time until the first chunk of a streamed answer of a model vendor.',
  labels: CALL,
  buckets: DURATIONS,
});
/** The bounds of the semantic conventions. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576] as const;
export const MODEL_TOKENS = histogram({
  name: 'gen_ai_client_token_usage',
  help: 'Tokens of one call to a model vendor. Estimated where the vendor reports none.',
  labels: [...CALL, 'gen_ai_token_type'],
  buckets: TOKENS,
});
export const MODEL_COST = counter({
  name: 'bellwether_model_cost',
  help: 'Cost of calls to model vendors by the price lists of the organizations, in units of the currency.',
  labels: ['gen_ai_provider_name', 'gen_ai_request_model', 'currency'],
});
export const ORGANIZATION_RUNS = counter({
  name: 'bellwether_organization_runs',
  help: 'Runs of the assistants of an organization that have ended. Only with METRICS_ORGANIZATIONS.',
  labels: ['organization', 'outcome'],
});
export const ORGANIZATION_TOKENS = counter({
  name: 'bellwether_organization_tokens',
  help: 'Tokens that an organization paid for. Only with METRICS_ORGANIZATIONS.',
  labels: ['organization', 'gen_ai_token_type'],
});
export const ORGANIZATION_COST = counter({
  name: 'bellwether_organization_cost',
  help: 'Cost that an organization paid, in units of the currency. Only with METRICS_ORGANIZATIONS.',
  labels: ['organization', 'currency'],
});

/** Models have free names: one organization must not use up the series of the others. */
const MOST_MODELS = 400;
const OTHERS = 'other';
const MICROS = 1e6;

/** Names of vendors in the semantic conventions, where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini' };
export const providerLabel = (provider: string): string => PROVIDERS[provider] ?? provider;

/** Counts calls to model vendors, and what organizations use. */
@Injectable()
export class ModelMetrics {
  private readonly durations;
  private readonly firstChunks;
  private readonly tokens;
  private readonly costs;
  private readonly organizations;
  private readonly named = new Set<string>();
  private readonly most: number;

  constructor(registry: MetricRegistry, @Inject(CONFIG) { metrics }: Pick<Config, 'metrics'>) {
    this.durations = registry.histogram(MODEL_CALL_DURATION, MOST_MODELS);
    this.firstChunks = registry.histogram(MODEL_FIRST_CHUNK, MOST_MODELS);
    this.tokens = registry.histogram(MODEL_TOKENS, MOST_MODELS);
    this.costs = registry.counter(MODEL_COST, MOST_MODELS);
    this.most = metrics.organizations;
    this.organizations =
      this.most === 0
        ? null
        : {
            runs: registry.counter(ORGANIZATION_RUNS),
            tokens: registry.counter(ORGANIZATION_TOKENS),
            costs: registry.counter(ORGANIZATION_COST),
          };
  }

  called(call: ModelCall, { promptTokens, completionTokens, costMicros }: UsageFigures, currency: string | null): void {
    const { operation, model, failure, firstChunkMs } = call;
    const provider = providerLabel(call.provider);
    this.durations.at(operation, provider, model, failure ?? '').observe((performance.now() - call.startedAt) / 1e3);
    if (firstChunkMs !== null) this.firstChunks.at(operation, provider, model).observe(firstChunkMs / 1e3);
    this.tokens.at(operation, provider, model, 'input').observe(promptTokens);
    this.tokens.at(operation, provider, model, 'output').observe(completionTokens);
    if (costMicros > 0) this.costs.at(provider, model, currency ?? '').inc(costMicros / MICROS);
  }

  used(organization: string, figures: UsageFigures, currency: string | null): void {
    if (this.organizations === null) return;
    const { runs, failed, promptTokens, completionTokens, costMicros } = figures;
    const { runs: ended, tokens, costs } = this.organizations;
    const label = this.labelOf(organization);
    if (runs > failed) ended.at(label, 'completed').inc(runs - failed);
    if (failed > 0) ended.at(label, 'failed').inc(failed);
    tokens.at(label, 'input').inc(promptTokens);
    tokens.at(label, 'output').inc(completionTokens);
    if (costMicros > 0) costs.at(label, currency ?? '').inc(costMicros / MICROS);
  }

  private labelOf(organization: string): string {
    if (this.named.has(organization)) return organization;
    if (this.named.size >= this.most) return OTHERS;
    this.named.add(organization);
    return organization;
  }
}
