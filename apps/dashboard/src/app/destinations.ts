import {
  type Icon,
  IconAdjustments,
  IconAnchor,
  IconArchive,
  IconBan,
  IconBell,
  IconBuildingStore,
  IconChartBar,
  IconCreditCard,
  IconHome,
  IconKey,
  IconLifebuoy,
  IconListDetails,
  IconMessage2,
  IconMessageReport,
  IconPalette,
  IconRobot,
  IconServer2,
  IconShieldCheck,
  IconShieldLock,
  IconUrgent,
  IconUserCheck,
  IconUserCircle,
  IconUsers,
  IconUsersPlus,
} from '@tabler/icons-react';

/** A page that one can go to. */
export type Destination = {
  to: string;
  label: string;
  icon: Icon;
  /** The pages below it are those of other destinations. */
  isExact?: boolean;
  /** What people also call it. */
  keywords?: string;
};

/** The navigation shows groups one below the other, the palette searches them. */
export type DestinationGroup = { label: string; destinations: Destination[] };

export const serverGroups = (id: string, name: string): DestinationGroup[] => {
  const at = (path: string) => `/servers/${id}${path}`;
  return [
    {
      label: name,
      destinations: [
        { to: at(''), label: 'Server overview', icon: IconAnchor, isExact: true },
        { to: at('/analytics'), label: 'Analytics', icon: IconChartBar, keywords: 'funnel chart' },
        {
          ...{ to: at('/settings'), label: 'Settings', icon: IconAdjustments },
          keywords: 'role channel captcha schedule bot move delete',
        },
      ],
    },
    {
      label: 'Newcomers',
      destinations: [
        {
          ...{ to: at('/panels'), label: 'Panels', icon: IconMessage2 },
          keywords: 'message button embed verify',
        },
        {
          ...{ to: at('/verify-page'), label: 'Verify page', icon: IconPalette },
          keywords: 'logo colour background welcome',
        },
        { to: at('/firewall'), label: 'Firewall', icon: IconShieldCheck, keywords: 'rules block' },
        { to: at('/whitelist'), label: 'Whitelist', icon: IconUserCheck, keywords: 'rules allow' },
        { to: at('/appeals'), label: 'Appeals', icon: IconMessageReport, keywords: 'blocked' },
      ],
    },
    {
      label: 'People',
      destinations: [
        { to: at('/members'), label: 'Members', icon: IconUsers, keywords: 'verified people' },
        {
          ...{ to: at('/pulls'), label: 'Bring members back', icon: IconUsersPlus },
          keywords: 'pull invite',
        },
      ],
    },
    {
      label: 'Safety',
      destinations: [
        { to: at('/backups'), label: 'Backups', icon: IconArchive, keywords: 'snapshot restore' },
        { to: at('/recover'), label: 'Recover', icon: IconLifebuoy, keywords: 'restore repair' },
        {
          ...{ to: at('/protection'), label: 'Protection', icon: IconShieldLock },
          keywords: 'anti-nuke anti-raid drill',
        },
        { to: at('/incidents'), label: 'Incidents', icon: IconUrgent, keywords: 'attack raid' },
      ],
    },
  ];
};

export const accountGroups: DestinationGroup[] = [
  {
    label: 'Your servers',
    destinations: [
      { to: '/', label: 'Overview', icon: IconHome, isExact: true, keywords: 'home start' },
      { to: '/servers', label: 'Servers', icon: IconServer2, isExact: true, keywords: 'add' },
      { to: '/bots', label: 'Bots', icon: IconRobot, keywords: 'token application' },
      { to: '/alerts', label: 'Alerts', icon: IconBell, keywords: 'notifications e-mail' },
      { to: '/blacklist', label: 'Blacklist', icon: IconBan, keywords: 'block ban' },
    ],
  },
  {
    label: 'Your account',
    destinations: [
      {
        ...{ to: '/marketplace', label: 'Marketplace', icon: IconBuildingStore },
        keywords: 'buy sell template order',
      },
      { to: '/billing', label: 'Billing', icon: IconCreditCard, keywords: 'plan pay upgrade' },
      { to: '/api-keys', label: 'API keys', icon: IconKey, keywords: 'token scope' },
      { to: '/audit', label: 'Audit log', icon: IconListDetails, keywords: 'history changes' },
      {
        ...{ to: '/account', label: 'Account', icon: IconUserCircle },
        keywords: 'sessions second factor delete',
      },
    ],
  },
];

/** The servers themselves, to go from one to another. */
export const serverDestinations = (
  servers: readonly { id: string; name: string }[],
): DestinationGroup => ({
  label: 'Servers',
  destinations: servers.map(({ id, name }) => ({
    ...{ to: `/servers/${id}`, label: name, icon: IconServer2 },
  })),
});

/** Those of which every word is found, the best first; groups without any are left out. */
export const findDestinations = (
  groups: readonly DestinationGroup[],
  query: string,
): DestinationGroup[] => {
  const wanted = query.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  return groups
    .map(({ label, destinations }) => ({
      label,
      destinations: destinations
        .filter((one) => words.every((word) => textOf(one, label).includes(word)))
        .toSorted((one, other) => distanceOf(one, wanted) - distanceOf(other, wanted)),
    }))
    .filter(({ destinations }) => destinations.length > 0)
    .toSorted((one, other) => groupDistance(one, wanted) - groupDistance(other, wanted));
};

const textOf = ({ label, keywords = '' }: Destination, group: string): string =>
  `${label} ${group} ${keywords}`.toLowerCase();

/** 0 where the name begins with what is wanted, 1 where it has it, 2 where other words are found. */
const distanceOf = ({ label }: Destination, wanted: string): number => {
  const at = label.toLowerCase().indexOf(wanted);
  return at === -1 ? 2 : Math.min(at, 1);
};

const groupDistance = ({ destinations }: DestinationGroup, wanted: string): number =>
  Math.min(...destinations.map((one) => distanceOf(one, wanted)));
