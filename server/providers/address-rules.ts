import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public addresses that answer with credentials or control of the host inside a cloud. */
const METADATA_ADDRESSES = new Set(['168.63.129.16']);

/** 2000::/3 is all global unicast space that IANA gives out; everything else of IPv6 is local, mapped or unused. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');

const LOCAL_NAMES =
  /(^|\.)(localhost|local|internal|intranet|private|lan|home|corp|localdomain|home\.arpa|svc)$/;

/** Names under public suffixes that a cloud answers itself. Those without a dot or below `.internal` are local anyway. */
const METADATA_NAMES = /(^|\.)(metadata\.goog|metadata\.tencentyun\.com|metadata\.packet\.net)$/;

/**
 * Ports of protocols that a crafted HTTP request could talk to (mail, shells, file shares, chat): the "bad ports" of
 * the Fetch standard, which browsers refuse as well. Others stay open, because gateways listen anywhere.
 */
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * True for an address on the public Internet: not private, loopback, link-local, carrier NAT, multicast, reserved,
 * documentation or unspecified, and not one of the IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo, ISATAP), whose target would escape the check.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '');
  // A zone (`fe80::1%eth0`) names an interface of this machine: nothing on the Internet has one.
  if (bare.includes('%') || !ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.parse(bare);
  if (METADATA_ADDRESSES.has(parsed.toString()) || parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return ipaddr.IPv4.isValidFourPartDecimal(bare);
  const { parts } = parsed as ipaddr.IPv6;
  const isIsatap = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
  return !isIsatap && (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST, 3);
}

/**
 * Whether a host as URL parsing gives it (lower case, Punycode, IPv6 in brackets, 0x7f.1 and the like already
 * decoded) may be on the public Internet. What a name leads to is checked when it is resolved.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  const name = host.replace(/\.$/, '');
  // A name of one part is looked up in the own network's search list; empty parts are no name.
  if (!/^[^.]+(\.[^.]+)+$/.test(name) || /^[\d.]+$/.test(name)) return false;
  return !LOCAL_NAMES.test(name) && !METADATA_NAMES.test(name);
}

/** Whether an HTTP server may be expected at a port; the empty text is the scheme's own. */
export function isHttpPort(port: string): boolean {
  return port === '' || !OTHER_PROTOCOLS.has(Number(port));
}
