import type { Response } from 'express';
import type { Config } from '../infrastructure/config';
import { counter, MetricRegistry } from '../infrastructure/telemetry';
import { MetricsController } from './metrics.controller';

const TOKEN = 't'.repeat(32);

function scrape(metrics: Partial<Config['metrics']>, authorization?: string, accept?: string): Promise<string> {
  const registry = new MetricRegistry();
  registry.counter(counter({ name: 'demo_calls', help: 'Calls.', labels: [] }));
  const config = { metrics: { port: null, token: null, organizations: 0, ...metrics } } as Config;
  const response = { setHeader: () => response } as unknown as Response;
  return new MetricsController(registry, config).metrics(response, authorization, accept);
}

describe('/metrics on the public port', () => {
  it('is not there without a token, and not beside a port of its own', async () => {
    await expect(scrape({})).rejects.toMatchObject({ code: 'not_found' });
    await expect(scrape({ token: TOKEN, port: 9464 }, `Bearer ${TOKEN}`)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([undefined, 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, 'Bearer bw_live_x_y'])(
    'refuses the credential %j',
    async (authorization) => {
      await expect(scrape({ token: TOKEN }, authorization)).rejects.toMatchObject({ code: 'unauthenticated' });
    },
  );

  it('answers the token in the format that the scraper reads', async () => {
    expect(await scrape({ token: TOKEN }, `Bearer ${TOKEN}`)).toContain('# TYPE demo_calls_total counter');
    const openMetrics = await scrape({ token: TOKEN }, `bearer ${TOKEN}`, 'application/openmetrics-text;version=1.0.0');
    expect(openMetrics).toContain('# TYPE demo_calls counter');
  });
});
