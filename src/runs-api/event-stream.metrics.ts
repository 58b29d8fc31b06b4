import { gauge } from '../infrastructure/telemetry';

export const EVENT_STREAMS = gauge({
  name: 'bellwether_event_streams_open',
  help: 'Open streams of the events of runs.',
  labels: [],
});
