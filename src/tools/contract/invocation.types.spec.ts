import { CallScope } from './invocation.types';

describe('a scope of calls', () => {
  it('stops every call with one listener on the signal, and later ones too', () => {
    const controller = new AbortController();
    const listen = jest.spyOn(controller.signal, 'addEventListener');
    const scope = new CallScope(controller.signal);
    const stopped: number[] = [];
    const stops = [1, 2, 3].map((each) => () => {
      stopped.push(each);
    });
    for (const stop of stops) scope.add(stop);
    if (stops[1] !== undefined) scope.delete(stops[1]);
    controller.abort();
    expect(stopped).toEqual([1, 3]);
    expect(scope.isStopped).toBe(true);
    expect(listen).toHaveBeenCalledTimes(1);
  });

  it('is stopped from the start under an aborted signal', () => {
    expect(new CallScope(AbortSignal.abort()).isStopped).toBe(true);
  });

  it('no longer listens once it is closed', () => {
    const controller = new AbortController();
    const scope = new CallScope(controller.signal);
    scope.close();
    controller.abort();
    expect(scope.isStopped).toBe(false);
  });
});
