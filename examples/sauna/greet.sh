echo "Helo, $1!"
