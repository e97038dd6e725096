import { PageHead } from '../../parts/page-head.tsx';

export const Firewall = () => <PageHead title="Firewall" />;
