import type { UsageReportDto } from './usage.dto';

/** Answer to `?by=model&from=2026-11-01&to=2026-11-30`. */
export const USAGE_EXAMPLE: UsageReportDto = {
  from: '2026-11-01',
  to: '2026-11-30',
  time_zone: 'UTC',
  by: 'model',
  currency: 'EUR',
  pseudonymous: false,
  totals: {
    runs: 412,
    failed: 3,
    model_calls: 460,
    estimated_calls: 0,
    prompt_tokens: 821_600,
    completion_tokens: 96_200,
    cached_tokens: 310_000,
    cost_micros: 2_431_500,
  },
  unpriced_models: [],
  items: [
    {
      model: { provider: 'openai', model: 'gpt-4o-mini' },
      runs: 412,
      failed: 3,
      model_calls: 460,
      estimated_calls: 0,
      prompt_tokens: 821_600,
      completion_tokens: 96_200,
      cached_tokens: 310_000,
      cost_micros: 2_431_500,
    },
  ],
  next_cursor: null,
  total: 1,
};

export const USAGE_CSV_EXAMPLE = [
  'provider,model,runs,failed,model_calls,estimated_calls,prompt_tokens,completion_tokens,cached_tokens,cost,currency',
  'openai,gpt-4o-mini,412,3,460,0,821600,96200,310000,2.431500,EUR',
].join('\r\n');
