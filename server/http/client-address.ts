import ipaddr from 'ipaddr.js';

/**
 * What limits are counted by: an IPv4 address, or the /64 of an IPv6 one, because a single household owns all 2^64
 * addresses below it.
 */
export function limitKeyOfAddress(address: string | undefined): string {
  if (!address || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
