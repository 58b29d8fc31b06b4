// The load generator, a helper process of its own so that nothing else delays its clock.
import { burstRequests } from './burst-load.mjs';
import { endFollowing, followEvents, followState } from './fanout-load.mjs';
import { closedLoop, openLoop } from './requests-load.mjs';
import { burstStreams, cutStreams, holdState, holdStreams, pacedStreams, releaseStreams } from './streams-load.mjs';
import { serveCommands } from './rpc.mjs';

serveCommands({
  closedLoop,
  openLoop,
  burstRequests,
  pacedStreams,
  burstStreams,
  holdStreams,
  holdState,
  releaseStreams,
  cutStreams,
  followEvents,
  followState,
  endFollowing,
});
