import { searchConfiguration } from './searchable-text';

it('searches word by word in a language it does not know', () => {
  expect([searchConfiguration('ca'), searchConfiguration('xx'), searchConfiguration(null)]).toEqual([
    'catalan',
    'simple',
    'simple',
  ]);
});
