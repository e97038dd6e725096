"""OpenStack Swift with its S3 protocol, all four of its servers in this one process.

swift-server.py FOLDER BUCKET keeps everything in FOLDER, makes the bucket and prints the port it listens on.
"""

import sys

import eventlet

eventlet.monkey_patch()

import logging  # noqa: E402

from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.swob import Request  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402

STORAGE = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""

# A page of a list is short, so that a few dozen objects make several.
# Without a memcached every look-up goes to the storage servers: nothing is remembered, nothing is stale.
PROXY = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_bucket_listing = 20
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
"""


def serve(folder, kind, text):
    """Listens at once, on a port of the kernel's choice."""
    path = f"{folder}/{kind}.conf"
    with open(path, "w") as file:
        file.write(text.format(folder=folder, kind=kind))
    app = loadapp(path)
    listener = eventlet.listen(("127.0.0.1", 0), backlog=512)
    quiet = logging.getLogger("quiet")
    quiet.setLevel(logging.CRITICAL)
    eventlet.spawn(
        eventlet.wsgi.server, listener, app, log=quiet, protocol=SwiftHttpProtocol
    )
    return app, listener.getsockname()[1]


def write_ring(folder, kind, port):
    """One copy of everything, on one disk."""
    device = {"region": 1, "zone": 1, "device": "disk", "weight": 1, "meta": ""}
    address = {"ip": "127.0.0.1", "port": port}
    replication = {"replication_ip": "127.0.0.1", "replication_port": port}
    builder = RingBuilder(part_power=1, replicas=1, min_part_hours=1)
    builder.add_dev({**device, **address, **replication})
    builder.rebalance()
    builder.get_ring().save(f"{folder}/{kind}.ring.gz")


def main(folder, bucket):
    reload_storage_policies()
    # Container servers need the ring of accounts, object servers that of containers.
    for kind in ("account", "container", "object"):
        _, port = serve(folder, kind, STORAGE)
        write_ring(folder, kind, port)
    proxy, port = serve(folder, "proxy", PROXY)
    trusted = {"swift.authorize": lambda _: None, "swift.authorize_override": True}
    making = {"REQUEST_METHOD": "PUT", **trusted}
    answer = Request.blank(f"/v1/AUTH_test/{bucket}", environ=making).get_response(proxy)
    if not answer.is_success:
        sys.exit(f"The bucket was answered with {answer.status}")
    print(port, flush=True)
    # Ends with the process that started it, also when that is killed.
    eventlet.tpool.execute(sys.stdin.read)


main(*sys.argv[1:])
