import { bindReach } from '../../src/infrastructure/postgres/connection/scoped-client';

/** Tests call services without a request, like commands of the operator. Requests and jobs set their own reach. */
bindReach({ crossing: 'commands' });
