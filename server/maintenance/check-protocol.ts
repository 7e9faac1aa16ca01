import { AppError } from '#server/lib/app-error.ts';
import { OLDEST_PROTOCOL_VERSION, PROTOCOL_HEADER, PROTOCOL_VERSION } from './schemas.ts';

/** @throws AppError `conflict` (409) when this web process does not serve the daemon's protocol */
export function checkProtocol(protocol: number): void {
  if (!Number.isInteger(protocol) || protocol < 1) {
    throw new AppError(
      'conflict',
      `Send the protocol's number in the header ${PROTOCOL_HEADER}; this web process speaks ${spoken()}.`,
    );
  }
  if (protocol < OLDEST_PROTOCOL_VERSION || protocol > PROTOCOL_VERSION) {
    const older = protocol < OLDEST_PROTOCOL_VERSION ? 'daemon' : 'web process';
    throw new AppError(
      'conflict',
      `The daemon speaks protocol ${protocol}, this web process speaks ${spoken()}: update the ${older}.`,
    );
  }
}

function spoken(): string {
  return OLDEST_PROTOCOL_VERSION === PROTOCOL_VERSION
    ? `protocol ${PROTOCOL_VERSION}`
    : `protocols ${OLDEST_PROTOCOL_VERSION} to ${PROTOCOL_VERSION}`;
}
