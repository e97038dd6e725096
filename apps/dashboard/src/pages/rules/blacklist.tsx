import { PageHead } from '../../parts/page-head.tsx';

export const Blacklist = () => <PageHead title="Blacklist" />;
