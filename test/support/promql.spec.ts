import { readQuery } from './promql';

describe('a PromQL expression', () => {
  it('tells its series and labels, not its functions, words and ranges', () => {
    expect(
      readQuery('topk(8, sum by (a, le) (rate(x_count{b="y{z}",c!~"1|2"}[5m])) / scalar(max(up)) > bool 0.5)'),
    ).toEqual({
      series: [
        { series: 'x_count', labels: ['b', 'c'] },
        { series: 'up', labels: [] },
      ],
      grouped: ['a', 'le'],
    });
  });
});
