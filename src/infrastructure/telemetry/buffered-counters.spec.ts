import { BufferedCounters, type CounterStore } from './buffered-counters';

interface Row {
  readonly group: string;
  readonly id: string;
  n: number;
}

/** A table that several counters share. It knows batches that it has added. */
function table(): {
  readonly stored: Map<string, number>;
  readonly store: CounterStore<string, Row, Map<string, number>>;
} {
  const stored = new Map<string, number>();
  const known = new Set<string>();
  const sum = (into: Map<string, number>, key: string, n: number) => into.set(key, (into.get(key) ?? 0) + n);
  return {
    stored,
    store: {
      name: 'Test',
      maxGroups: 10,
      keyOf: (group) => group,
      add: (batch, rows) => {
        if (known.has(batch)) return Promise.resolve();
        known.add(batch);
        for (const { group, id, n } of rows) sum(stored, `${group}/${id}`, n);
        return Promise.resolve();
      },
      read: (group) =>
        Promise.resolve(
          [...stored]
            .filter(([key]) => key.startsWith(`${group}/`))
            .map(([key, n]) => ({ group, id: key.slice(group.length + 1), n })),
        ),
      viewOf: (rows) => {
        const view = new Map<string, number>();
        for (const { id, n } of rows) sum(view, id, n);
        return view;
      },
    },
  };
}

function count(counters: BufferedCounters<string, Row, Map<string, number>>, group: string, id: string): void {
  counters.row(group, id, () => ({ group, id, n: 0 })).n += 1;
  const view = counters.current(group);
  view?.set(id, (view.get(id) ?? 0) + 1);
}

describe('BufferedCounters', () => {
  it('shows a count once, whether it came before or after the first read', async () => {
    const { store } = table();
    const counters = new BufferedCounters(store);
    count(counters, 'a', 'x');
    const flushed = counters.flush();
    expect(counters.view('a')).toBeNull();
    count(counters, 'a', 'x');
    await Promise.all([flushed, counters.load('a')]);
    count(counters, 'a', 'x');
    expect(counters.view('a')).toEqual(new Map([['x', 3]]));
    expect(counters.view('b')).toBeNull();
    await counters.close();
  });

  it('adds to the counts of other processes', async () => {
    const { stored, store } = table();
    const [one, other] = [new BufferedCounters(store), new BufferedCounters(store)];
    count(one, 'a', 'x');
    count(other, 'a', 'x');
    await Promise.all([one.close(), other.close()]);
    expect(stored).toEqual(new Map([['a/x', 2]]));
  });

  it('keeps counts that the table did not take', async () => {
    const { stored, store } = table();
    const add = jest.spyOn(store, 'add').mockRejectedValueOnce(new Error('away'));
    const counters = new BufferedCounters(store);
    count(counters, 'a', 'x');
    const failing = counters.flush();
    await failing;
    count(counters, 'a', 'x');
    count(counters, 'a', 'y');
    await counters.close();
    expect(add).toHaveBeenCalledTimes(3);
    expect(stored).toEqual(
      new Map([
        ['a/x', 2],
        ['a/y', 1],
      ]),
    );
  });

  it('counts once what the table took without an answer', async () => {
    const { stored, store } = table();
    const add = store.add.bind(store);
    jest.spyOn(store, 'add').mockImplementationOnce(async (...given) => {
      await add(...given);
      throw new Error('Connection terminated unexpectedly');
    });
    const counters = new BufferedCounters(store);
    count(counters, 'a', 'x');
    await counters.flush();
    count(counters, 'a', 'x');
    await counters.close();
    expect(stored).toEqual(new Map([['a/x', 2]]));
  });
});
