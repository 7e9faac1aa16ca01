import ipaddr from 'ipaddr.js';

/** Public addresses that answer with credentials or control of the host inside a cloud. */
const METADATA_ADDRESSES = new Set(['168.63.129.16']);

/** 2000::/3 is all global unicast space that IANA gives out; everything else of IPv6 is local, mapped or unused. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

/**
 * True for an address on the public Internet: not private, loopback, link-local, carrier NAT, multicast, reserved,
 * documentation or unspecified, and not one of the IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo), whose target would escape the check.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (METADATA_ADDRESSES.has(bare) || !ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.parse(bare);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return ipaddr.IPv4.isValidFourPartDecimal(bare);
  return (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST, 3);
}
