import { MetricRegistry, counter, gauge, histogram } from './metric-registry';

const CALLS = counter({ name: 'demo_calls', help: 'Calls.', labels: ['tool', 'result'] });
const SIZE = gauge({ name: 'demo_size_bytes', help: 'A size of two\nlines.', labels: ['part'] });
const TIME = histogram({ name: 'demo_time_seconds', help: 'Times.', labels: [], buckets: [0.1, 1] });

describe('the metrics of a process', () => {
  it('are written in the text format of Prometheus', async () => {
    const registry = new MetricRegistry();
    const calls = registry.counter(CALLS);
    calls.at('rag', 'hit').inc();
    calls.at('rag', 'hit').inc(2);
    calls.at('a "b"\\\n', '').inc();
    registry.gauge(SIZE, () => [
      [['rows'], 12],
      [['unknown'], Number.NaN],
    ]);
    const time = registry.histogram(TIME).at();
    for (const seconds of [0.1, 0.5, 7, Number.NaN, -1]) time.observe(seconds);
    expect(await registry.scrape('prometheus')).toBe(
      [
        '# HELP demo_calls_total Calls.',
        '# TYPE demo_calls_total counter',
        'demo_calls_total{tool="rag",result="hit"} 3',
        'demo_calls_total{tool="a \\"b\\"\\\\\\n",result=""} 1',
        '# HELP demo_size_bytes A size of two\\nlines.',
        '# TYPE demo_size_bytes gauge',
        'demo_size_bytes{part="rows"} 12',
        '# HELP demo_time_seconds Times.',
        '# TYPE demo_time_seconds histogram',
        'demo_time_seconds_bucket{le="0.1"} 1',
        'demo_time_seconds_bucket{le="1.0"} 2',
        'demo_time_seconds_bucket{le="+Inf"} 3',
        'demo_time_seconds_sum 7.6',
        'demo_time_seconds_count 3',
        '',
      ].join('\n'),
    );
  });

  it('are written in OpenMetrics with units and an end', async () => {
    const registry = new MetricRegistry();
    registry.counter(CALLS).at('rag', 'miss').inc();
    registry.gauge(SIZE, () => [[['rows'], 1]]);
    const text = await registry.scrape('openmetrics');
    expect(text).toContain('# TYPE demo_calls counter\ndemo_calls_total{tool="rag",result="miss"} 1\n');
    expect(text).toContain('# TYPE demo_size_bytes gauge\n# UNIT demo_size_bytes bytes\n');
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  it('count together beyond the number of series that one metric may have', async () => {
    const registry = new MetricRegistry();
    const calls = registry.counter(CALLS, 2);
    for (const tool of ['a', 'b', 'c', 'd', 'c']) calls.at(tool, 'hit').inc();
    expect(await registry.scrape('prometheus')).toContain(
      [
        'demo_calls_total{tool="a",result="hit"} 1',
        'demo_calls_total{tool="b",result="hit"} 1',
        'demo_calls_total{tool="other",result="other"} 3',
        '',
      ].join('\n'),
    );
  });

  it('wait for values that are measured at a scrape', async () => {
    const registry = new MetricRegistry();
    let size = 0;
    registry.beforeScrape(async () => {
      await Promise.resolve();
      size = 5;
    });
    registry.gauge(SIZE, () => [[['rows'], size]]);
    expect(await registry.scrape('prometheus')).toContain('demo_size_bytes{part="rows"} 5');
  });

  it('are not kept while nobody may read them', async () => {
    const registry = new MetricRegistry(false);
    const calls = registry.counter(CALLS);
    calls.at('a', 'hit').inc();
    expect(calls.at('a', 'hit')).toBe(calls.at('b', 'miss'));
    expect(await registry.scrape('prometheus')).toBe('');
  });

  it('have one declaration each', () => {
    const registry = new MetricRegistry();
    registry.counter(CALLS);
    expect(() => registry.counter(CALLS)).toThrow('demo_calls');
  });
});
