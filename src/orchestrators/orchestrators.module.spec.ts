import { STRATEGY_PLUGINS } from './catalog';
import type { OrchestratorStrategy } from './contract';
import { boundStrategies } from './orchestrators.module';

describe('the strategies that are bound to tokens', () => {
  const ours = STRATEGY_PLUGINS.map(({ useClass }) => Reflect.construct(useClass, [{}]) as OrchestratorStrategy);

  it('have their keys in the catalogue', () => {
    expect(boundStrategies(ours).map(([key]) => key)).toEqual(STRATEGY_PLUGINS.map(({ key }) => key));
  });

  it('stop the start where a definition is not whole, with token and problem', () => {
    const halves = ours.map(({ definition: { name, description }, compile }, index) =>
      index === 1 ? { definition: { name, description }, compile } : ours[index],
    ) as OrchestratorStrategy[];
    expect(() => boundStrategies(halves)).toThrow(
      /OrchestratorStrategy:parallel: definition must have required property 'reads'/,
    );
  });
});
