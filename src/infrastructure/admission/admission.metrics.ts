import { counter, gauge, histogram } from '../telemetry';

export const ADMITTED = counter({
  name: 'bellwether_admission_admitted',
  help: 'Answers that got a place. waited is yes for those that waited for one.',
  labels: ['waited'],
});
export const REFUSED = counter({
  name: 'bellwether_admission_refused',
  help: 'Questions that were refused because the process had more than it can answer, by reason.',
  labels: ['reason'],
});
export const WAITING = gauge({
  name: 'bellwether_admission_waiting',
  help: 'Questions that wait for a place.',
  labels: [],
});
export const PLACES_USED = gauge({
  name: 'bellwether_admission_places_used',
  help: 'Places for answers that are taken.',
  labels: [],
});
export const PLACES_MAX = gauge({
  name: 'bellwether_admission_places_max',
  help: 'Answers that the process makes at once, background runs apart.',
  labels: [],
});
export const WAIT_TIME = histogram({
  name: 'bellwether_admission_wait_time_seconds',
  help: 'Time that questions waited until they got a place.',
  labels: [],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});
