import { ToolFailure } from './tool.errors';

class Refusal extends ToolFailure {}

it('knows failures of another copy of the package, and tells its own subclasses apart', () => {
  let other: typeof ToolFailure | undefined;
  jest.isolateModules(() => {
    other = jest.requireActual<{ ToolFailure: typeof ToolFailure }>('./tool.errors').ToolFailure;
  });
  const failure = new other!('tool.limit', 'too much');
  expect(other).not.toBe(ToolFailure);
  expect(failure).toBeInstanceOf(ToolFailure);
  expect(failure).not.toBeInstanceOf(Refusal);
  expect(new Refusal('tool.limit', 'too much')).toBeInstanceOf(Refusal);
  expect(new Error('too much')).not.toBeInstanceOf(ToolFailure);
});
